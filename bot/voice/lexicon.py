"""Word tables for reading text aloud."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ABBREVIATIONS: Final = {
    "e.g": "for example",
    "eg": "for example",
    "i.e": "that is",
    "ie": "that is",
    "etc": "et cetera",
    "et al": "and others",
    "viz": "namely",
    "ph.d": "PhD",
    "vs": "versus",
    "approx": "approximately",
    "govt": "government",
    "aka": "also known as",
    "a.k.a": "also known as",
    "btw": "by the way",
    "imo": "in my opinion",
    "imho": "in my humble opinion",
    "fyi": "for your information",
    "tbh": "to be honest",
    "idk": "I don't know",
    "iirc": "if I recall correctly",
    "afaik": "as far as I know",
    "ppl": "people",
    "b/c": "because",
    "w/o": "without",
    "w/": "with",
    "n/a": "not applicable",
    "s/he": "he or she",
    "tl;dr": "in short",
    "and/or": "and or",
}
"""Read in full with or without a dot after them, in any case."""

DOTTED: Final = {
    "cf": "compare",
    "esp": "especially",
    "incl": "including",
    "Inc": "incorporated",
    "Corp": "corporation",
    "Ltd": "limited",
    "Co": "company",
    "Bros": "brothers",
    "Jr": "junior",
    "Sr": "senior",
    "Dept": "department",
    "dept": "department",
    "Univ": "university",
    "Assn": "association",
    "avg": "average",
    "max": "maximum",
    "Jan": "January",
    "Feb": "February",
    "Aug": "August",
    "Sept": "September",
    "Oct": "October",
    "Nov": "November",
    "Dec": "December",
}
"""Read in full only with their dot: without it they are words."""

ENDINGS: Final = frozenset(
    {"et cetera", "and others", "incorporated", "limited", "brothers", "company", "corporation", "junior", "senior"}
)
"""When a capital follows one of these, its dot ended the sentence too, more often than not."""

COUNTED: Final = {
    "no": "number",
    "nos": "numbers",
    "p": "page",
    "pp": "pages",
    "fig": "figure",
    "vol": "volume",
    "ch": "chapter",
    "sec": "section",
    "art": "article",
    "ca": "about",
}
"""Read in full only with their dot and a number after it."""

TITLES: Final = {"Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Dr": "Doctor", "Prof": "Professor"}
"""Before a name, with or without their dot."""

DOTTED_TITLES: Final = {
    "St": "Saint",
    "Gen": "General",
    "Gov": "Governor",
    "Sen": "Senator",
    "Rep": "Representative",
    "Capt": "Captain",
    "Lt": "Lieutenant",
    "Col": "Colonel",
    "Sgt": "Sergeant",
    "Rev": "Reverend",
    "Hon": "Honorable",
    "Pres": "President",
}
"""Before a name, only with their dot."""

SENTENCE_STARTS: Final = _words(
    "A An The This That These Those It We They But And Or If When While So No Not He She I You In On At By For From His"
    " Her Our Their My Your There Then What Who Why How First Second Third Yet However Because Let As To Such All"
)
"""After "U.S." these begin a new sentence; any other capital is taken for the name's next word (U.S. Senate)."""

ACRONYMS: Final = _words("""
    AI AGI API UK EU UN UAE USA USSR UNICEF UNESCO UNHCR UNEP NATO NASA NAFTA USMCA ASEAN OPEC OECD BRICS APEC ECOWAS
    IMF WTO IAEA ICAO IOC FIFA UEFA NBA NFL NHL MLB FBI CIA NSA EPA FDA FEMA OSHA NOAA CDC IRS SEC FTC FCC DOJ DOD DHS
    ACLU NAACP NRA DACA HIPAA GDPR GDP GNP CEO CFO CTO HR PR TV PC ID IQ EQ VR AR XR EV SUV GMO UBI MMT VAT ESG NGO LGBT
    LGBTQ BLM HIV DNA RNA PTSD ADHD MRI ICU ER GPA PHD MBA SCOTUS POTUS FLOTUS GOP DNC RNC MP MEP PM CRISPR CAPTCHA
    GPU CPU URL HTML JSON LLM GPT NFT IPO ETF BBC CNN NPR ABC NBC CBS MSNBC ESPN ISIS IRA PLO PKK PISA TIMSS IELTS TOEFL
    MOOC FOMO YOLO LOL OMG RFD POI PMR CX LD PF BP AC NC AR NR CO DIY FAQ RIP ASAP UFO UAP SOS VIP WWI WWII IPCC COP
    COVID SARS MERS GIF JPEG PNG PDF USB WIFI GPS ATM PIN MDMA LSD THC CBD DUI KGB NKVD GULAG AUKUS NORAD INTERPOL
    EUROPOL MERCOSUR AIPAC UNCLOS REM RAM ROM LED LCD BMI DEI CRT AOC JFK FDR LBJ MLK
    """)
"""Left in capitals: the engine spells or says each as people do."""

AMBIGUOUS: Final = _words("US IT WHO AM ACT AID AIDS SAT STEM START SALT CARE PIN RAM REM COP CO AR ER MAD ID")
"""Also words. In a text that shouts they are taken for the word, elsewhere for the acronym."""

SHORT_WORDS: Final = _words("""
    AN AS AT BE BY DO GO HE IF IN IS ME MY NO OF OH OK ON OR SO TO UP WE
    ALL AND ANY ARE ASK BAD BAN BIG BUT BUY CAN DAY DID END FAR FEW FOR GET GOD GOT HAD HAS HER HIM HIS HOW ITS JOB LAW
    LET LIE LOT MAN MAY MEN NEW NOR NOT NOW OFF OLD ONE OUR OUT OWN PAY PUT RUN SAY SEE SHE TAX THE TOO TRY TWO USE WAR
    WAS WAY WHY WIN WON YES YET YOU PRO CON SIX TEN FUN KEY ODD
    """)
"""Words of two and three letters that are emphasised, not spelled, when they stand in capitals."""
