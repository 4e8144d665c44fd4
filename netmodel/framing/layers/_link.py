"""Layers in front of a packet: Ethernet, tags, labels, sessions and MACsec."""

from netmodel.framing._layer import Layer, Level, layer, parts
from netmodel.framing.lengths import ETHERNET_HEADER_BYTES

LINK_CARRIERS = frozenset({"ethernet", "vlan", "qinq", "macsec"})
"""Layers of a link that a tag, a label or a packet may stand directly inside."""

_VLAN_TAG_BYTES = 4
"""Type and tag control of 2 bytes each (IEEE 802.1Q, clause 9)."""
_BRIDGING_TUNNELS = frozenset({"vxlan", "geneve", "gre", "mpls"})


@layer
def ethernet() -> Layer:
    """
    Return the layer of Ethernet II: addresses and type; the FCS belongs to the frame.

    Inside a tunnel that carries frames it is the inner frame, which has no check sequence of its
    own and is not padded.

    Returns
    -------
    layer : Layer
        14 bytes.

    References
    ----------
    IEEE 802.3, clause 3.1.1; RFC 7348, section 5; RFC 4448 for MPLS, without its control word.

    Examples
    --------
    >>> ethernet().header_bytes
    14
    """
    carriers = frozenset({""}) | _BRIDGING_TUNNELS
    return Layer("ethernet", Level.LINK, parts(ethernet_header=ETHERNET_HEADER_BYTES), carriers)


@layer
def vlan() -> Layer:
    """
    Return the layer of one 802.1Q tag.

    Returns
    -------
    layer : Layer
        4 bytes, not counted in the MTU.

    References
    ----------
    IEEE 802.1Q, clause 9.

    Examples
    --------
    >>> vlan().header_bytes
    4
    """
    return Layer("vlan", Level.LINK, parts(vlan_tag=_VLAN_TAG_BYTES), LINK_CARRIERS)


@layer
def qinq() -> Layer:
    """
    Return the layer of a service tag and a customer tag.

    Returns
    -------
    layer : Layer
        8 bytes, not counted in the MTU.

    References
    ----------
    IEEE 802.1ad (in 802.1Q, clause 9).

    Examples
    --------
    >>> [(part.name, part.bytes) for part in qinq().header]
    [('service_tag', 4), ('customer_tag', 4)]
    """
    header = parts(service_tag=_VLAN_TAG_BYTES, customer_tag=_VLAN_TAG_BYTES)
    return Layer("qinq", Level.LINK, header, LINK_CARRIERS)


@layer
def llc_snap() -> Layer:
    """
    Return the layer of LLC and SNAP, whose length field takes the place of a type.

    Returns
    -------
    layer : Layer
        8 bytes.

    References
    ----------
    RFC 1042; IEEE 802, clause 9.

    Examples
    --------
    >>> llc_snap().header_bytes
    8
    """
    # DSAP, SSAP and control of 1 byte each; organisation of 3 and type of 2
    return Layer("llc-snap", Level.LINK, parts(llc_header=3, snap_header=5), LINK_CARRIERS)


@layer
def macsec(*, sci: bool = False) -> Layer:
    """
    Return the layer of MACsec: a security tag in front and a check value of 16 bytes behind.

    Parameters
    ----------
    sci : bool
        Whether the tag carries the secure channel identifier, as it does by
        default in Linux and on shared media.

    Returns
    -------
    layer : Layer
        24 bytes, or 32 with the identifier; not counted in the MTU.

    Raises
    ------
    DomainError
        If the argument is not True or False.

    References
    ----------
    IEEE 802.1AE, clause 9.

    Examples
    --------
    >>> macsec().fixed_bytes, macsec(sci=True).fixed_bytes
    (24, 32)
    """
    header = parts(macsec_tag=8, macsec_sci=8 if sci else 0)
    icv = parts(macsec_icv=16)  # of GCM-AES-128, the default cipher suite
    return Layer("macsec", Level.LINK, header, LINK_CARRIERS - {"macsec"}, trailer=icv)


@layer
def mpls() -> Layer:
    """
    Return the layer of one MPLS label; a stack of labels is a stack of these layers.

    Returns
    -------
    layer : Layer
        4 bytes.

    References
    ----------
    RFC 3032, section 2.1; RFC 4023 for labels inside GRE.

    Examples
    --------
    >>> mpls().header_bytes
    4
    """
    # label, traffic class, bottom of stack and time to live: 20 + 3 + 1 + 8 bits
    return Layer("mpls", Level.LINK, parts(mpls_label=4), LINK_CARRIERS | {"mpls", "gre"})


@layer
def pppoe() -> Layer:
    """
    Return the layer of PPP over Ethernet: session header and protocol field.

    Returns
    -------
    layer : Layer
        8 bytes.

    References
    ----------
    RFC 2516, section 4; RFC 1661, section 2.

    Examples
    --------
    >>> [(part.name, part.bytes) for part in pppoe().header]
    [('pppoe_header', 6), ('ppp_protocol', 2)]
    """
    # version and type, code, session and length of 1, 1, 2 and 2 bytes
    return Layer("pppoe", Level.LINK, parts(pppoe_header=6, ppp_protocol=2), LINK_CARRIERS)
