import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IPv4 networks that are no part of the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const closed4 = new BlockList()
for (const network of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // A public address at which machines of one cloud find what is theirs.
  '168.63.129.16/32',
])
  add(closed4, network, 'ipv4')

/** What is public among IPv6 addresses, and what of that leads elsewhere: to IPv4, through tunnels, to examples. */
const open6 = new BlockList()
add(open6, '2000::/3', 'ipv6')
const closed6 = new BlockList()
for (const network of ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'])
  add(closed6, network, 'ipv6')

function add(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = network.split('/')
  list.addSubnet(address, Number(bits), family)
}

/**
 * True for an address of the public internet. Private networks, this machine, links, metadata of clouds and every IPv6 form of an
 * IPv4 address are none, and neither is what is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed4.check(address, 'ipv4')
  return isIPv6(address) && !address.includes('%') && open6.check(address, 'ipv6') && !closed6.check(address, 'ipv6')
}
