"""How much more often something happens than before, among so many."""

from math import sqrt


def more_often(hits_before: int, of_before: int, hits_after: int, of_after: int) -> float:
    """By how many standard errors a share rose. Signed; 0 where a side is empty.

    One imagined hit and miss on either side keep "never before" from counting as certain.
    """
    if not of_before or not of_after:
        return 0.0
    share = (hits_before + hits_after + 1) / (of_before + of_after + 2)
    error = sqrt(share * (1 - share) * (1 / of_before + 1 / of_after))
    return (hits_after / of_after - hits_before / of_before) / error
