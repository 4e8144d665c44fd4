#!/bin/sh
# usage: measure.sh MTU SECONDS OUTPUT [option of iperf3]...
#
# One run of iperf3 from namespace own-a to own-b (Linux, root). What own-a sends passes a line of
# 400 Mbit/s and the adapter of own-b, which namespace own-m emulates. What comes back has a line of
# its own, so that acknowledgements take none of the adapter's time.
set -e
mtu=$1 seconds=$2 output=$3
shift 3
here=$(dirname "$(realpath "$0")")
rate=400mbit per_frame_s=60e-6 per_byte_s=12e-9

clean() {
    for pid in $adapter $server; do kill "$pid" 2>/dev/null && wait "$pid" || true; done
    for side in a m b; do ip netns del own-$side 2>/dev/null || true; done
}
trap clean EXIT
trap 'exit 1' INT TERM

for side in a m b; do
    ip netns add own-$side
    ip netns exec own-$side sysctl -qw net.ipv6.conf.all.disable_ipv6=1 \
        net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
done
ip link add out netns own-a type veth peer name line netns own-m
ip link add card netns own-m type veth peer name in netns own-b
ip link add back netns own-b type veth peer name back netns own-a

device() { # SIDE NAME MAC: each frame for itself, with its checksum in it
    ip netns exec own-"$1" ethtool -K "$2" tso off gso off gro off tx off rx off >/dev/null
    ip -n own-"$1" link set "$2" address "$3" mtu "$mtu" gso_max_segs 1 up
}
device a out 02:00:00:00:08:01
device m line 02:00:00:00:08:0a
device m card 02:00:00:00:08:0b
device b in 02:00:00:00:08:02
device b back 02:00:00:00:09:02
device a back 02:00:00:00:09:01

wire() { # SIDE NAME: each frame takes the time of its bytes, check sequence, preamble and gap too
    ip netns exec own-"$1" tc qdisc add dev "$2" root handle 1: \
        stab overhead 24 linklayer ethernet tbf rate $rate burst 64kb latency 20ms
}
wire a out
wire b back

way() { # SIDE OWN PEER NAME MAC-OF-PEER
    ip -n own-"$1" route add "$3" dev "$4" src "$2"
    ip -n own-"$1" neigh add "$3" lladdr "$5" dev "$4"
}
ip -n own-a addr add 10.99.8.1/32 dev out
ip -n own-b addr add 10.99.8.2/32 dev in
way a 10.99.8.1 10.99.8.2 out 02:00:00:00:08:02
way b 10.99.8.2 10.99.8.1 back 02:00:00:00:09:01

ip netns exec own-m nice -n -20 python3 "$here/adapter.py" line card $per_frame_s $per_byte_s &
adapter=$!
ip netns exec own-b nice -n -10 iperf3 -s -1 -p 5271 >/dev/null &
server=$!
sleep 1
ip netns exec own-a nice -n -10 iperf3 -c 10.99.8.2 -p 5271 -t "$seconds" -C cubic -J "$@" >"$output"
