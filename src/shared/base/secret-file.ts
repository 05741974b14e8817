/**
 * The file of a key: the given one for the built-in profile, and one beside it for each name. A name may hold any
 * characters, so it is written in a form that is the name of a file everywhere.
 */
export function secretFile(file: string, name: string | null): string {
  return name === null ? file : `${file}-${[...new TextEncoder().encode(name)].map(inHex).join('')}`
}

function inHex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
