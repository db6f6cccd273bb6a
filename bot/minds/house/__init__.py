"""The house mind: debaters and judges that need no model, no key and no network. See docs/house-minds.md."""

from bot.minds.house.debater import HouseDebater, compose_turn
from bot.minds.house.judge import HouseJudge, decide
from bot.minds.house.knowledge import warm

__all__ = ["HouseDebater", "HouseJudge", "compose_turn", "decide", "warm"]
