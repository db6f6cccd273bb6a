"""One file per schema change, in a row. A file that was released is not edited any more."""
