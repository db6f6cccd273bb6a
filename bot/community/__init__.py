"""What outlives a match: ledger and wagers, ratings, seasons, the audience."""
