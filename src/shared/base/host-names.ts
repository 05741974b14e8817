/** The name of a host in a grant, with or without a port. `*.` stands for any subdomain. */
export const grantableHost = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/i

const longest = 260

/**
 * Says why a text names no hosts that a person can grant for good, as a sentence with the next step. Null for a name such
 * as `example.com`, `*.example.com` or `example.com:8443`.
 */
export function hostProblem(text: string): string | null {
  const shown = JSON.stringify(text.slice(0, 80))
  if (text.includes('://') || text.includes('/'))
    return `${shown} is an address. Write only the name of its host, such as example.com or example.com:8443.`
  if (/^\*?$/.test(text)) return `${shown} would be every host. Name each host, or all below one, as *.example.com.`
  if (text.length > longest || !grantableHost.test(text))
    return `${shown} is not the name of a host. Write example.com, *.example.com or example.com:8443.`
  const [name = '', port] = text.split(':')
  if (name.startsWith('*.') && name.split('.').length < 3)
    return `${shown} would be every host of a top-level domain. Name the domain too, as *.example.com.`
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    return `${shown} has a port that does not exist. Ports go from 1 to 65535.`
  return null
}
