/** The name of a host in a grant, with or without a port. `*.` stands for any subdomain. */
export const grantableHost = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/i

const longest = 260

/** Programs read other forms, such as `0x7f000001` or `127.1`, as addresses too. They would never match a grant. */
const fourNumbers = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(?!$)|$)){4}$/

/**
 * Says why a text names no hosts that a person can grant for good, as a sentence with the next step. Null for a name such
 * as `example.com`, `*.example.com` or `example.com:8443`.
 */
export function hostProblem(text: string): string | null {
  const shown = JSON.stringify(text.slice(0, 80))
  if (text.includes('://') || text.includes('/'))
    return `${shown} is an address. Write only the name of its host, such as example.com or example.com:8443.`
  if (/^\*?$/.test(text)) return `${shown} would be every host. Name each host, or all below one, as *.example.com.`
  if (/^\[|:.*:/.test(text))
    return `${shown} is an IPv6 address, which cannot be granted. Write the name of its host, such as example.com.`
  if (/\.(:\d*)?$/.test(text)) return `${shown} ends its name with a dot. Write the name without it, as example.com.`
  if (text.length > longest || !grantableHost.test(text))
    return `${shown} is not the name of a host. Write example.com, *.example.com or example.com:8443.`
  const [name = '', port] = text.split(':')
  if (/^(\d+|0x[\da-f]*)$/i.test(name.split('.').at(-1) ?? '') && !fourNumbers.test(name))
    return `${shown} is a number, or an address in another form. Write an address as four numbers, as 127.0.0.1.`
  if (name.startsWith('*.') && name.split('.').length < 3)
    return `${shown} would be every host of a top-level domain. Name the domain too, as *.example.com.`
  if (port !== undefined && /^0\d/.test(port))
    return `${shown} has a port that starts with 0. Write it without, as example.com:443.`
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    return `${shown} has a port that does not exist. Ports go from 1 to 65535.`
  return null
}
