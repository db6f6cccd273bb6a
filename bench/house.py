"""The house mind: CPU per turn and per ballot, and how fair its rounds are.

`python -m bench.house [SEEDS]`. Every motion is played under SEEDS seeds (default 4), each once with pro as side A and
once with con, so that the first word and the motion's sides can be told apart.
"""

import sys
import time
from collections import Counter

from bot.catalogue import Catalogue, load_catalogue
from bot.minds.brief import MotionText
from bot.minds.house.judge import decide
from bot.minds.house.rehearse import motion_text, play
from bot.rules.motion import custom_motion

FREE = ("Cats are better than dogs", "Zoos should be closed", "Breakfast is overrated", "Money cannot buy happiness")
JUDGES = 3


def rehearse(
    catalogue: Catalogue, motions: list[MotionText], seeds: int, order: str, first_bench: int = 0
) -> Counter[str]:
    """Rounds, wins and CPU seconds."""
    found: Counter[str] = Counter()
    for motion in motions:
        for seed in range(first_bench, first_bench + seeds):
            for first in ("pro", "con"):
                start = time.process_time()
                played = play(catalogue, motion, seed, order, first)
                spoken = time.process_time()
                votes = Counter(decide(played.transcript(at), catalogue).vote for at in range(JUDGES))
                judged = time.process_time()
                winner = max(("pro", "con"), key=lambda side: votes[side])
                found.update(rounds=1, turns=len(played.turns), ballots=JUDGES, split=len(votes) > 1)
                found.update(pro=winner == "pro", first=winner == first, last=winner == played.turns[-1].side)
                found.update(speak_us=round((spoken - start) * 1e6), judge_us=round((judged - spoken) * 1e6))
    return found


def report(name: str, found: Counter[str]) -> None:
    rounds = found["rounds"]
    noise = 50 / rounds**0.5
    speak, judge = found["speak_us"] / found["turns"] / 1000, found["judge_us"] / found["ballots"] / 1000
    print(
        f"{name:<16} {rounds:5} rounds  {speak:5.2f} ms a turn  {judge:5.2f} ms a ballot"
        f"  |  pro wins {100 * found['pro'] / rounds:4.1f} %"
        f"  first word {100 * found['first'] / rounds:4.1f} %  last word {100 * found['last'] / rounds:4.1f} %"
        f"  (noise {noise:.1f})  split votes {100 * found['split'] / rounds:4.1f} %"
    )


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    start = time.process_time()
    catalogue = load_catalogue()
    banked = [motion_text(motion) for motion in catalogue.motions if catalogue.bank(motion.id) is not None]
    free = [motion_text(custom_motion(text)) for text in FREE]
    print(f"reading prompts/: {(time.process_time() - start) * 1000:.0f} ms for {len(banked)} banks")
    rehearse(catalogue, banked, 1, "arena", first_bench=10_000)  # indexes are built once
    for order in ("arena", "classic", "duel"):
        report(f"bank, {order}", rehearse(catalogue, banked, seeds, order))
    report("schemes, arena", rehearse(catalogue, free, seeds * 4, "arena"))
    print("In classic the first side has four of seven free turns and the last word; arena and duel take that away.")


if __name__ == "__main__":
    main()
