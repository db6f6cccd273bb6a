"""Every reason for which the rules refuse a command, each produced once. None is left out, none is made up."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

import bot.rules
from bot.rules import commands as c
from bot.rules.market import MOST_OPEN
from bot.rules.match import Clip, Match, Stage
from bot.rules.rejection import Rejection
from tests.rules.play import CAST, MOTIONS, Game, policy, started


def codes_in_the_source() -> set[str]:
    """Every literal first argument of `reject(...)` or `Rejection(...)` in bot/rules."""
    found: set[str] = set()
    for path in Path(bot.rules.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            if node.func.id not in ("reject", "Rejection"):
                continue
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value)
            else:
                passed_on = ast.unparse(first) in ("code", "refusal.code")
                assert passed_on, f"{path.name}:{node.lineno}: a code the scan cannot read"
    return found


def fresh() -> Game:
    game = Game("duel")
    game.match = Match()
    return game


def opening(**more: object) -> Callable[[], Rejection]:
    def refused() -> Rejection:
        game = fresh()
        given = {"at": 0, "match": "m", "community": "x", "host": "h", "format": game.format, "seed": 1, "wall": 0}
        return game.refused(c.Open(**(given | more)))  # type: ignore[arg-type]

    return refused


def lobby(command: c.Command, *joined: str, fmt: str = "duel") -> Callable[[], Rejection]:
    def refused() -> Rejection:
        game = Game(fmt)
        for person in joined:
            game.join(person)
        return game.refused(command)

    return refused


def after_opening(command: c.Command, **open_with: object) -> Callable[[], Rejection]:
    return lambda: Game("duel", **open_with).refused(command)


def queued(command: c.Command) -> Callable[[], Rejection]:
    def refused() -> Rejection:
        game = Game("duel")
        game.start(queue_wall=5)
        return game.refused(command)

    return refused


def playing(
    command: c.Command, n: int = 1, fmt: str = "duel", stage: Stage = Stage.OPEN, **people: str
) -> Callable[[], Rejection]:
    def refused() -> Rejection:
        game = started(policy() if fmt == "policy" else fmt, people, seed=2)
        game.to_slot(n, stage)
        return game.refused(command)

    return refused


def judging(*commands: c.Command, **people: str) -> Callable[[], Rejection]:
    def refused() -> Rejection:
        game = started("duel", people, seed=2)
        game.to_judging()
        for command in commands[:-1]:
            game.do(command)
        return game.refused(commands[-1])

    return refused


def after(
    prepare: Callable[[Game], object], command: c.Command, fmt: str = "duel", **people: str
) -> Callable[[], Rejection]:
    def refused() -> Rejection:
        game = started(policy() if fmt == "policy" else fmt, people, seed=2)
        prepare(game)
        return game.refused(command)

    return refused


FAR = 10**15
# With seed 2 P0 speaks first in a duel.


def one_offer(game: Game) -> None:
    game.to_slot(1)
    game.do(c.OfferPoint(at=game.now + 31_000, seat="P2", text="Sir?"))


def two_offers(game: Game) -> None:
    for _ in range(2):
        one_offer(game)
        game.do(c.AnswerOffer(at=game.now, seat="P0", taken=False))


def ann_gone(game: Game) -> None:
    game.leave("ann")


def ann_returning(game: Game) -> None:
    ann_gone(game)
    game.do(c.Reclaim(at=game.now, person="ann"))


def offer_at(after_s: float, prepare: Callable[[Game], object], **more: object) -> Callable[[], Rejection]:
    """An offer so many seconds into the 1AC of the small policy format."""

    def refused() -> Rejection:
        game = started(policy())
        prepare(game)
        game.to_slot(1)
        opened = game.slot.opened_at
        assert opened is not None
        given: dict[str, object] = {"at": opened + round(after_s * 1000), "seat": "P2", "text": "Sir?"}
        return game.refused(c.OfferPoint(**(given | more)))  # type: ignore[arg-type]

    return refused


def betting(*commands: c.Command, **people: str) -> Callable[[], Rejection]:
    """The last of the commands in the first slot of a duel with a market."""

    def refused() -> Rejection:
        game = started("duel", people, seed=2, market=True)
        for command in commands[:-1]:
            game.do(command)
        return game.refused(commands[-1])

    return refused


def bet(outcome: str = "pro", stake: int = 10, person: str = "eve", **limits: int) -> c.Wager:
    return c.Wager(at=0, person=person, outcome=outcome, stake=stake, **limits)


def locked() -> Rejection:
    game = started("duel", seed=2, market=True)
    game.to_judging()
    return game.refused(bet())


REFUSED: dict[str, Callable[[], Rejection]] = {
    "already_open": lobby(c.Open(at=0, match="m", community="x", host="h", format=Game("duel").format, seed=1, wall=0)),
    "bad_judges": opening(judges=0),
    "bad_speed": opening(speed=-1.0),
    "motion_twice": opening(forced=[MOTIONS[0], MOTIONS[0]]),
    "too_many_motions": opening(forced=MOTIONS[:2]),
    "no_such_match": lambda: fresh().refused(c.Tick(at=0)),
    "not_started": lobby(c.Skip(at=0, by="x")),
    "already_seated": lobby(c.Join(at=0, person="ann"), "ann"),
    "no_such_seat": lobby(c.Join(at=0, person="ann", seat="P7")),
    "seat_taken": lobby(c.Join(at=0, person="bob", seat="P0"), "ann"),
    "seat_for_ai": after_opening(c.Join(at=0, person="ann", seat="P1"), reserved=["P1"]),
    "no_free_seat": lobby(c.Join(at=0, person="cy"), "ann", "bob"),
    "not_seated": lobby(c.Leave(at=0, person="ann")),
    "already_host": lobby(c.ChangeHost(at=0, person="host")),
    "too_few_personas": lobby(c.Start(at=0, cast=CAST[:2], pool=MOTIONS)),
    "too_few_motions": lobby(c.Start(at=0, cast=CAST, pool=())),
    "already_queued": queued(c.Start(at=0, cast=CAST, pool=MOTIONS, queue_wall=6)),
    "already_started": playing(c.Join(at=0, person="ann")),
    "seat_is_ai": playing(c.Replace(at=0, seat="P0")),
    "nothing_to_reclaim": playing(c.Reclaim(at=0, person="ann")),
    "already_returning": after(ann_returning, c.Reclaim(at=0, person="ann"), P1="ann"),
    "no_slot_open": playing(c.Speak(at=0, seat="P0", text="So."), stage=Stage.SCHEDULED),
    "stale_slot": playing(c.Speak(at=0, seat="P0", text="So.", slot=(1, 2))),
    "not_your_turn": playing(c.Speak(at=0, seat="P1", text="So.")),
    "not_your_seat": playing(c.Speak(at=0, seat="P0", text="So.", person="ann")),
    "too_late": playing(c.Speak(at=FAR, seat="P0", text="So.")),
    "blank": playing(c.Speak(at=0, seat="P0", text="\u200b")),
    "move_not_allowed": playing(c.Speak(at=0, seat="P0", text="So.", move="rebut")),
    "too_long": playing(c.Speak(at=0, seat="P0", text="x" * 501)),
    "nothing_said_yet": playing(c.Done(at=0, seat="P0")),
    "prep_is_silent": playing(c.Speak(at=0, seat="P2", text="Aside."), n=3, fmt="policy"),
    "no_offers_here": playing(c.OfferPoint(at=0, seat="P1", text="Sir?")),
    "offer_from_own_side": offer_at(60, lambda game: None, seat="P1"),
    "offer_protected_time": offer_at(1, lambda game: None),
    "offer_pending": offer_at(60, one_offer),
    "offers_used_up": offer_at(60, two_offers),
    "no_offer_pending": playing(c.AnswerOffer(at=0, seat="P0", taken=True), fmt="policy"),
    "not_a_judge": judging(c.Cast(at=0, judge="P0", vote="pro")),
    "voting_closed": playing(c.Cast(at=0, judge="J0", vote="pro")),
    "already_voted": judging(c.Cast(at=0, judge="J0", vote="pro"), c.Break(at=0, judge="J0", round=1)),
    "unknown_side": judging(c.Cast(at=0, judge="J0", vote="left")),
    "bad_scores": judging(c.Cast(at=0, judge="J0", vote="pro", scores={})),
    "nothing_revealed": judging(c.RevealSeen(at=0, round=1, judge="J0")),
    "nothing_to_skip": judging(c.Skip(at=0, by="x"), c.Skip(at=0, by="x")),
    "round_decided": playing(c.Void(at=0, by="x", round=0)),
    "paused": after(lambda game: game.do(c.Pause(at=0, wall=0, by="x")), c.Skip(at=0, by="x")),
    "not_paused": playing(c.Resume(at=0, wall=0, by="x")),
    "no_such_turn": playing(c.AttachClip(at=0, round=1, n=1, part=0, clip=Clip("a", 1, "ogg"))),
    "no_market": playing(bet()),
    "market_not_open": after_opening(bet(), market=True),
    "market_locked": locked,
    "judges_do_not_bet": betting(bet(person="jo"), J0="jo"),
    "host_does_not_bet": betting(bet(person="host")),
    "moderators_do_not_bet": betting(c.Skip(at=0, by="eve"), bet()),
    "back_yourself": betting(bet("con", person="ann"), P0="ann"),
    "no_such_outcome": betting(bet("P0")),
    "stake_too_small": betting(bet(stake=4, least=5)),
    "stakes_too_high": betting(bet(), bet(stake=41, most=50)),
    "too_many_wagers": betting(*[bet(stake=1)] * (MOST_OPEN + 1)),
    "no_such_wager": betting(bet(person="ann"), c.Withdraw(at=0, person="eve", wager=1)),
    "wager_unchanged": betting(bet(), c.WagerChange(at=0, person="eve", wager=1, outcome="pro", stake=10)),
    "match_over": after(lambda game: game.do(c.Cancel(at=0, by="x")), c.Tick(at=0)),
}  # fmt: skip
CODES = frozenset(REFUSED)


def test_these_are_all() -> None:
    assert codes_in_the_source() == CODES


@pytest.mark.parametrize("code", REFUSED)
def test_each_can_come_about(code: str) -> None:
    assert REFUSED[code]().code == code
