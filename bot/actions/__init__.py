"""What a person can do, one function each.

An action takes an `Actor`, checks permission from one table, calls the host, and returns a neutral `Reply`. Cogs only
translate: platform input into an action, a reply into the platform's answer.
"""
