"""Mines a repository for signature snippets: repeated passages with a word that only it would use.

    mine(texts, repository, reference) -> list[Query]

- `texts`: `{path: source text}`, Python and Java. From a bare repository at a day:
  `snapshot_texts(RepositoryHistory.open(path), day)`; from a folder: `folder_texts(folder)`.
- `repository`: canonical name, as in `django/django`.
- `reference`: a `Reference`: how many other repositories hold a word. `NO_REFERENCE` knows none.

The queries come without entropy; `engine.probing.entropy` adds it.
"""

from engine.probing.mining.miner import mine
from engine.probing.mining.sources import folder_texts, snapshot_texts
from engine.probing.reference import NO_REFERENCE, Reference

__all__ = ["NO_REFERENCE", "Reference", "folder_texts", "mine", "snapshot_texts"]
