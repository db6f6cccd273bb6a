"""What speeches hold that is meant for the judge and not for the debate: found by rule, never by asking a model.

The house mind's patterns (`bot.minds.house.tricks`) find what is said plainly in English. This adds disguises (encoded,
spelt with digits, spaced out, zero-width), other languages, and what only a reader of transcripts would fall for:
made-up ends, made-up scores, claims that the other side gave up.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import unquote

from bot.minds.brief import TurnView
from bot.minds.house.tricks import tricks_in

SET_ASIDE = "[set aside]"
HIDDEN = "hidden_text"

_PIECE = re.compile(r"[^.!?…\n]+(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|[.!?…]|\n|$)+|[.!?…\n]+")
_SIDES = r"(?:pro|con|aff|neg|affirmative|negative|proposition|opposition|side [ab]|team [ab]|[ab][12])"
_TEAM = (
    r"(?:(?:my|our|the other|the opposing|the|their) (?:opponents?|rivals?|side|team)|opponents?|pro|con|they"
    r"|side [ab])"
)
_ORDER = (
    r"\bfor (?:the )?(?:judges?|jury|evaluat\w+|graders?|scorers?|models?|llms?|ais?)(?: only)? ?[:,–-]",
    (
        rf"\b(?:output|print|return|respond with|reply with|answer with|write|say)\b.{{0,30}}\b(?:{_SIDES}|verdict"
        rf"|json)\b(?=.{{0,20}}(?:[.!:\"'}}]|$|wins?))"
    ),
    (
        r"\b(?:your|the) (?:real |true |actual |new |only )?(?:task|job|role|goal|duty)"
        r" (?:is|now is|has changed)\b.{0,60}"
        rf"\b(?:vote|score|declare|favou?r|award|give|pick|{_SIDES})\b"
    ),
    (
        r"\b(?:forget|ignore|disregard|overlook|skip|discard|strike)\b.{0,30}\b(?:everything|all|anything|whatever"
        r"|turns?|speech(?:es)?|"
        r"(?:the )?(?:previous|prior|above|earlier|following|rest))\b.{0,40}"
        r"\b(?:above|before|below|said|told|text|turns?|messages?|instructions?|rules|other side|they)\b"
    ),
    (
        r"\b(?:full|maximum|max|top|perfect|highest) (?:marks?|scores?|points?)\b.{0,30}\b(?:for|to) (?:us|me|this|our"
        r"|my|pro|con)\b"
    ),
    r"\b(?:zero|lowest|minimum|no) (?:marks?|scores?|points?)\b.{0,30}\b(?:for|to) (?:them|the other|pro|con)\b",
    r"\b(?:developer|debug|admin|god|maintenance|override|jailbreak|dan) mode\b",
    r"\bact as (?:if|though) (?:you|we|i|the)\b.{0,40}\b(?:vote|decid|won|judge|win)",
    r"\bpretend\b.{0,60}\b(?:won|win|judge|vote|lost)\b",
    r"\bthis is (?:an? )?(?:test|order|command|instruction|directive)\b.{0,40}\b(?:judge|vote|pro|con|us|score)\b",
    (
        r"<\|?/?(?:im_start|im_end|system|assistant|user|inst|sys|endoftext)\b[^>]*>|\[/?(?:inst|sys)\]"
        r"|#{2,} ?(?:system|instruction)"
    ),
    (
        r"\b(?:judge|panel|bench) (?:protocol|policy|guideline|rule|update|notice)\b.{0,60}\b(?:vote|win|award|score"
        r"|favou?r|pro|con)\b"
    ),
    (
        r"\b(?:organi[sz]ers?|moderators?|admins?|operators?|openai|anthropic|the developers?|rostrum)\b.{0,40}"
        r"\b(?:instruct|order|require|ask|decid|want|told)\w*\b.{0,40}\b(?:vote|win|judges?|award|score|pro|con)\b"
    ),
    r"\bwin(?:s|ner)? (?:by|is) (?:decree|default|order)\b",
)
# "Vote for us", "judge" and "ignore the rules" in languages that people at the table are likely to know.
_FOREIGN = (
    r"\bvot(?:a|e|en|ad|ez|er|ate|are|em|ar|i) (?:por|pour|per|a favor|pelo|pela|no|na|en faveur|pentru)\b",
    (
        r"\b(?:jueces|juez|jurado|juges?|jury|giudic[ei]|giuria|ju[ií]z(?:es)?|jurados)\b.{0,60}"
        r"\b(?:vot\w+|ignor\w+|d[ae]\w*|otorg\w+|accord\w+|assegn\w+|premi\w+)\b"
    ),
    (
        r"\bignor(?:a|e|en|ez|er|ate|are|em|ieren|iere|iert|uj|eer)\b.{0,40}"
        r"\b(?:instruc\w+|instruk\w+|istruzioni|anweisung\w*|regeln?|reglas?|r[eè]gles?|regras?|consignes|instructies"
        r"|polece\w+)\b"
    ),
    r"\b(?:stimm\w*|wähl\w*|entscheid\w*)\b.{0,30}\b(?:für|pro|contra|uns)\b.{0,20}(?:[.!]|$)",
    r"\b(?:richter|schiedsrichter|preisrichter|juroren|jury)\b.{0,60}\b(?:stimm\w*|geb\w*|ignorier\w*|wähl\w*)\b",
    (
        r"\b(?:stem|kies) (?:voor|op|tegen)\b|\bgłosuj\w*\b|\brösta (?:på|för)\b|\boy ver\w*\b|\bpilih(?:lah)? (?:pro"
        r"|kontra|kami)\b"
    ),
    r"(?:голосуй|проголосуй|судь[яи]\b.{0,40}(?:голос|отда|присуд)|игнорируй|забудь(?:те)? .{0,20}инструкц)",
    r"(?:голосуйте|судді .{0,20}голосуйте|судді\b.{0,40}голос)",
    r"(?:投票给|投票給|请投|請投|忽略.{0,12}(?:指示|指令|规则|規則)|判.{0,4}(?:正方|反方).{0,3}(?:胜|勝|赢|贏)|评委|評審.{0,12}投)",
    r"(?:に投票|指示を無視|審査員.{0,20}(?:投票|勝ち)|ジャッジ.{0,20}投票)",
    r"(?:투표(?:하|해)|심사위원|지시.{0,6}무시)",
    r"(?:صو[ّ]?ت(?:وا)? ل|تجاهل.{0,20}(?:التعليمات|القواعد)|أيها القضاة)",
    r"(?:वोट (?:दें|दो|करें)|निर्देशों.{0,12}(?:अनदेखा|नज़रअंदाज)|न्यायाधीश)",
    r"(?:ψηφίστε|αγνοήστε.{0,20}οδηγίες|הצביעו|התעלמו.{0,16}הוראות)",
)
_ENDS = (
    (
        r"\b(?:end|close|stop) (?:of )?(?:the )?(?:transcript|debate|round|speech(?:es)?|input|data|user|document"
        r"|context|evidence)\b ?(?:[\])>}:=*#–.-]|$)"
    ),
    r"[\[<({=*#–-]{1,} ?/?(?:end|eof|eot|transcript|speeches|evidence|data|verdict|ballot|judgement|judgment)\b",
    r"[\"'] ?\} ?[\],}]|\} ?\] ?\}|[\"'] ?, ?[\"'][\w ]{1,24}[\"'] ?: ?[\"'{\[\d]",
    r"^\W*(?:turn|speech) ?#?\d+ ?[(\[:,–-].{0,40}\b(?:pro|con|side|speaker|[ab][12])\b.{0,20}:",
    r"^\W*(?:moderator|chair|host|narrator|judge|system|timekeeper)\W{0,3}:",
    (
        r"\b(?:verdict|result|final ballot|official result|decision)\b ?[:=–] ?.{0,30}"
        rf"\b(?:{_SIDES}|wins?|victory|winner)\b"
    ),
)
_SCORES = (
    (
        rf"\b(?:{_SIDES}|us|we|me|them)\b ?(?:[:=–-]|gets?|scores?|has|have|earned) ?(?:10|\d{{1,3}}) ?(?:/|out of"
        rf"|points?|,|;|$)"
    ),
    r"\b(?:argument|evidence|rebuttal|persuasion|logic|style)\b ?[:=–] ?\d+\b",
    r"\b(?:score ?(?:card|board|sheet)|scores? so far|current score|tally|points so far)\b.{0,40}\d",
    (
        rf"\b(?:judges?|panel|bench|audience|jury)\b.{{0,30}}\b(?:already|unanimously|have all"
        rf"|has all)\b.{{0,30}}\b(?:vot\w+|decid\w+|chos\w+|award\w+|agreed|{_SIDES})\b"
    ),
    r"\b(?:10|100|ten|hundred) ?(?:/|out of) ?(?:10|100|ten|a hundred)\b",
    r"\bwe (?:have )?(?:already )?won (?:the|this) (?:debate|round|match|vote)\b",
)
_GAVE_UP = (
    (
        rf"\b{_TEAM}\b.{{0,24}}\b(?:conced\w+|forfeit\w*|surrender\w*|resign\w*|withdr[ae]w\w*|gave up"
        rf"|(?<!been )given up|gives up|quit)\b"
        r"(?:.{0,24}\b(?:debate|round|match|motion|everything|all|case|defeat|already|entirely|completely)\b"
        r"| ?[.!,;]| ?$)"
    ),
    (
        rf"\b{_TEAM}\b.{{0,24}}\b(?:admit\w*|agree\w*|accept\w*|acknowledg\w+)\b.{{0,40}}\b(?:lost|defeat|we won|we win"
        rf"|we are right|our victory|losing)\b"
    ),
    r"\b(?:concession|forfeit|resignation) (?:was |has been |is )?(?:recorded|noted|received|accepted|on record)\b",
)
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile("|".join(options), re.IGNORECASE))
    for name, options in (
        ("orders_to_judge", (*_ORDER, *_FOREIGN)),
        ("fake_transcript", _ENDS),
        ("fake_scores", _SCORES),
        ("false_concession", _GAVE_UP),
    )
)
_ZERO_WIDTH = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:\\?x?[0-9a-fA-F]{2}[ :,]?){12,}")
_BITS = re.compile(r"(?:[01]{8}[ ,]?){6,}")
_MORSE = re.compile(r"(?:[.\-–—·]{1,6}[ /]+){8,}")
_ENTITY = re.compile(r"&#(x?[0-9a-fA-F]+);")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}\w*){3,}")
_SPACED = re.compile(r"\b(?:\w[ ._*|-]){5,}\w\b")
_LEET = str.maketrans("0134578@$!|", "oieastbasil")
_LOOKALIKE = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u0501\u0475\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03bf",
    "ABEKMHOPCTXaeopcyxisjdvABEHIKMNOPTXo",
)
# In digits, with look-alikes or spaced out even a short demand is meant for the judge.
_DEMAND = re.compile(
    r"\b(?:vot(?:e|es|ing)|give|award|declare|pick|choose) ?(?:for )?(?:the )?(?:win )?(?:to )?(?:pro|con|us|me"
    r"|side ?[ab]|our)|ignore ?(?:all|previous|prior|the|your)"
    r"|(?:pro|con|we|i) ?(?:must|should) ?win|system ?prompt|judges?\b.{0,20}\b(?:vote|award|win)",
    re.IGNORECASE,
)


def flags_of(turns: Iterable[TurnView]) -> tuple[str, ...]:
    """The kinds of trick that a round's speeches try, sorted."""
    return tuple(sorted({kind for turn in turns for kind in kinds_in(turn.text)}))


def kinds_in(text: str) -> tuple[str, ...]:
    """The kinds of trick one speech tries, sorted."""
    found = {kind for piece in pieces(text) for kind in _kinds(piece)}
    # What is spread over sentences so that none of them shows it.
    whole = " ".join(text.split())
    found |= set(_disguised(whole))
    return tuple(sorted(found))


def without_tricks(text: str) -> str:
    """The speech with every sentence that tries a trick set aside."""
    kept: list[str] = []
    for piece in pieces(text):
        if not _kinds(piece):
            kept.append(piece.strip())
        elif not kept or kept[-1] != SET_ASIDE:
            kept.append(SET_ASIDE)
    return " ".join(piece for piece in kept if piece)


def pieces(text: str) -> Iterator[str]:
    """The sentences of a speech; nothing of it is lost."""
    for match in _PIECE.finditer(text):
        if match.group().strip():
            yield match.group()


@lru_cache(maxsize=8_192)
def _kinds(sentence: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*_plain(sentence), *_disguised(sentence))))


def _plain(sentence: str) -> tuple[str, ...]:
    """What it tries as it stands."""
    plain = " ".join(_ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", sentence)).split())
    return (*tricks_in(sentence), *(name for name, pattern in _KINDS if pattern.search(plain)))


def _disguised(sentence: str) -> tuple[str, ...]:
    """Hidden text; and what is an order once a disguise is taken off."""
    for text in _unwrapped(sentence):
        kinds = _plain(text)
        if kinds or _DEMAND.search(text):
            return (HIDDEN, *(kinds or ("orders_to_judge",)))
    if len(_ZERO_WIDTH.findall(sentence)) >= 3 or _MORSE.search(sentence) or _BITS.search(sentence):
        return (HIDDEN,)
    return ()


def _unwrapped(sentence: str) -> Iterator[str]:
    """The sentence with one disguise taken off, for every disguise that it may wear."""
    for found in _BASE64.findall(sentence):
        yield from _decoded(found)
    for match in _HEX.finditer(sentence):
        digits = re.sub(r"\\?x|[^0-9a-fA-F]", "", match.group())
        yield _bytes(bytes.fromhex(digits[: len(digits) // 2 * 2]))
    for match in _BITS.finditer(sentence):
        yield _bytes(bytes(int(bits, 2) for bits in re.findall(r"[01]{8}", match.group())))
    if _ENTITY.search(sentence):
        yield _ENTITY.sub(lambda m: _char(m.group(1)), sentence)
    if _ESCAPE.search(sentence):
        yield _ESCAPE.sub(lambda m: chr(int(m.group(1), 16)), sentence)
    if _PERCENT.search(sentence):
        yield unquote(sentence)
    if any(char.isascii() and char.isalpha() for char in sentence):
        yield codecs.encode(sentence, "rot13")
        yield sentence[::-1]
    leet = sentence.translate(_LEET)
    if leet != sentence and re.search(r"[^\W\d_][0-9@$!|]|[0-9@$|][^\W\d_]", sentence):
        yield leet
    alike = sentence.translate(_LOOKALIKE)
    if alike != sentence and re.search("[A-Za-z]", sentence):
        yield alike
    for match in _SPACED.finditer(sentence):
        yield re.sub(r"[ ._*|-]", "", match.group())
    if tags := "".join(chr(ord(char) - 0xE0000) for char in sentence if 0xE0020 <= ord(char) <= 0xE007E):
        yield tags


def _decoded(text: str) -> Iterator[str]:
    padded = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(padded + "=" * (-len(padded) % 4))
    except (binascii.Error, ValueError):
        return
    yield _bytes(raw)


def _bytes(raw: bytes) -> str:
    """Text, if that is what the bytes are."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""


def _char(code: str) -> str:
    number = int(code[1:], 16) if code[0] in "xX" else int(code) if code.isdigit() else 0
    return chr(number) if 0 < number < 0x110000 else ""
