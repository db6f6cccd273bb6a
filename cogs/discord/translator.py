"""Names and descriptions of commands in the languages there is a catalogue for."""

from __future__ import annotations

from functools import cache

import discord
from discord import app_commands

from bot.messages.words import Words, words


class CatalogueTranslator(app_commands.Translator):
    """Looks texts with a key up in `bot/messages/catalogue/<language>.toml`; what is missing stays English."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        key = string.extras.get("key")
        catalogue = _catalogue(locale.value)
        return catalogue.get(key, "") or None if key and catalogue is not None else None


@cache  # every text of every command asks for every language of Discord
def _catalogue(language: str) -> Words | None:
    for name in (language, language.partition("-")[0]):
        if name.startswith("en"):
            return None
        try:
            return words(name)
        except FileNotFoundError:
            continue
    return None
