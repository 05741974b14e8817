/** The base 85 of git's binary patches (base85.c): lines of at most 52 bytes, each after a character for its length. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const digits = new Map([...alphabet].map((character, digit) => [character, digit]))
const lineBytes = 52

export function encodeLines(bytes: Uint8Array): string[] {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += lineBytes) {
    const part = bytes.subarray(at, at + lineBytes)
    lines.push(`${lengthMark(part.length)}${encode(part)}`)
  }
  return lines
}

/** Throws a RangeError for anything that `encodeLines` would not write. */
export function decodeLines(lines: readonly string[]): Uint8Array {
  const parts = lines.map(decodeLine)
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

function encode(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) {
    let word = 0
    for (let index = 0; index < 4; index += 1) word = word * 256 + (bytes[at + index] ?? 0)
    let group = ''
    for (let digit = 0; digit < 5; digit += 1) {
      group = alphabet[word % 85] + group
      word = Math.floor(word / 85)
    }
    text += group
  }
  return text
}

function decodeLine(line: string): Uint8Array {
  const length = lengthOf(line.charCodeAt(0))
  if (line.length !== 1 + Math.ceil(length / 4) * 5)
    throw new RangeError('A line of a binary patch has the wrong length.')
  const bytes = new Uint8Array(length)
  for (let group = 0; group * 4 < length; group += 1) {
    let word = 0
    for (const character of line.slice(1 + group * 5, 6 + group * 5)) word = word * 85 + digitOf(character)
    if (word > 0xffffffff) throw new RangeError('A group of a binary patch is out of range.')
    for (let index = 0; index < 4 && group * 4 + index < length; index += 1) {
      bytes[group * 4 + index] = Math.floor(word / 256 ** (3 - index)) % 256
    }
  }
  return bytes
}

function digitOf(character: string): number {
  const digit = digits.get(character)
  if (digit === undefined) throw new RangeError(`${JSON.stringify(character)} is not part of a binary patch.`)
  return digit
}

/** `A` to `Z` for 1 to 26, `a` to `z` for 27 to 52. */
function lengthMark(length: number): string {
  return String.fromCharCode(length <= 26 ? 64 + length : 70 + length)
}

function lengthOf(mark: number): number {
  if (mark >= 65 && mark <= 90) return mark - 64
  if (mark >= 97 && mark <= 122) return mark - 70
  throw new RangeError('A line of a binary patch has no length.')
}
