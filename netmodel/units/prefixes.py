"""Prefixes of units as numbers, and the factors between units that follow from them."""

# SI Brochure (9th edition, 2019), table 7
TERA, GIGA, MEGA, KILO = 1e12, 1e9, 1e6, 1e3
MILLI, MICRO = 1e-3, 1e-6
# IEC 80000-13:2008, clause 4
KIBI, MEBI, GIBI = 2**10, 2**20, 2**30

BITS_PER_BYTE = 8
"""A byte is an octet here, as in IEC 80000-13 and every RFC."""
BITS_PER_GBIT = GIGA
MS_PER_S = KILO
US_PER_S = MEGA
US_PER_MS = KILO
WHOLE_PERCENT = 100
"""Whole in per cent."""
