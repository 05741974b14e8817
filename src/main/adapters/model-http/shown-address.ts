/** An address as messages show it: without a name, a password and a query, which may hold a key. */
export function shownAddress(address: string): string {
  if (address === '') return 'The server'
  const url = URL.parse(address)
  return url === null || url.origin === 'null'
    ? address.replace(/[?#].*$/s, '')
    : `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
