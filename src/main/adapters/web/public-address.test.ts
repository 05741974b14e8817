import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

describe('an address of the public internet', () => {
  it.each([
    ...['127.0.0.1', '127.255.0.9', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
    // Metadata of clouds.
    ...['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254', 'fe80::a9fe:a9fe'],
    ...['224.0.0.1', '239.255.255.250', '255.255.255.255', '240.0.0.1', '198.18.0.1', '192.0.2.1', '203.0.113.9'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::127.0.0.1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'ff02::1',
    ],
    // Ways to IPv4: NAT64, 6to4, Teredo.
    ...[
      '64:ff9b::7f00:1',
      '64:ff9b:1::a00:1',
      '2002:7f00:1::',
      '2001:0:4136:e378::1',
      '2001:db8::1',
      '3fff::1',
      '100::1',
    ],
    ...['', 'localhost', '0x7f.1', '2130706433', '1.2.3', '[::1]'],
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
    'is %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it('is never an IPv6 form of an IPv4 address', () => {
    const byte = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
        const [high, low] = [a * 256 + b, c * 256 + d].map((part) => part.toString(16))
        for (const before of ['::', '::ffff:', '64:ff9b::', '2002:']) {
          const tail = before === '2002:' ? '::' : ''
          expect(isPublicAddress(`${before}${high}:${low}${tail}`)).toBe(false)
        }
      }),
    )
  })
})
