import { expect, it } from 'vitest'
import { hostProblem } from './host-names.ts'

it.each(['example.com', 'a-b.example.com:8443', '*.example.com', '*.example.com:443', 'localhost:8080', '127.0.0.1'])(
  '%s can be granted',
  (host) => {
    expect(hostProblem(host)).toBeNull()
  },
)

it.each([
  ['https://example.com', 'Write only the name'],
  ['example.com/path', 'Write only the name'],
  ['*', 'would be every host'],
  ['', 'would be every host'],
  ['*.com', 'Name the domain too'],
  ['*.com:443', 'Name the domain too'],
  ['exa mple.com', 'is not the name of a host'],
  ['*example.com', 'is not the name of a host'],
  ['a.*.com', 'is not the name of a host'],
  ['example.com:', 'is not the name of a host'],
  ['example.com:0', 'Ports go from 1 to 65535'],
  ['example.com:70000', 'Ports go from 1 to 65535'],
  ['[::1]', 'is an IPv6 address'],
  ['::1', 'is an IPv6 address'],
  ['[::1]:443', 'is an IPv6 address'],
  ['example.com.', 'ends its name with a dot'],
  ['example.com.:443', 'ends its name with a dot'],
  ['example.com:00443', 'starts with 0'],
  ...['0', '0x7f000001', '2130706433', '127.1', '127.0.0.256', '127.0.0.01', '*.0.0.1', 'a.0x7f', '1.2.3.4.5'].map(
    (host) => [host, 'Write an address as four numbers'],
  ),
  [`${'a'.repeat(300)}.com`, 'is not the name of a host'],
])('%j cannot be granted, and the message says what to write', (host, message) => {
  expect(hostProblem(host)).toContain(message)
})
