"""Discord as a venue: how cards look there, and their delivery into threads."""
