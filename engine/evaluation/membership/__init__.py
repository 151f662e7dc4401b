"""Stage I where the answer is known: models trained here, on repositories chosen here (paper, Table 3).

`texts` chooses an equal share of every repository, `splits` says who is a member, `training` makes the
models, `baselines` scores with their logits, `experiment` runs Stage I on them as black boxes and keeps
everything that is finished, and `tables` measures.
"""
