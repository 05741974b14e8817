/**
 * A signature says which sequences of four bytes a text may hold. Each sequence sets one bit of a table whose size grows
 * with the text. An unset bit proves that the text does not hold the sequence; a set bit proves nothing. Letters of ASCII
 * count without their case, and no sequence goes over a line end or a NUL, because the engine may treat those alike.
 */
export interface Signature {
  /** Number of bits, a power of two. */
  readonly size: number
  readonly bits: Uint32Array
}

const gramBytes = 4
/** Spreads sequences that differ in their last bytes over the whole table. */
const multiplier = 0x9e3779b1
const smallest = 64
const largest = 2 ** 20
/** This share of the bits is set at most, where there is room. More would prove less, fewer would take more room. */
const usual = 0.5
/** A text of random characters fills its table up to this. With more set bits, a signature proves too little. */
const fullest = 0.8
/** A signature takes at most this share of its text. */
const roomOfText = 0.19

/** Each byte with upper case ASCII letters made lower case. Bytes that no sequence holds are 0. */
const folded = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === 0x0a || byte === 0x0d ? 0 : byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
)

/** Calls `take` with the 32-bit key of each sequence of the text. Its leading bits choose the bit of a signature. */
function eachGram(text: Uint8Array, take: (key: number) => void): void {
  let last = 0
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const byte = folded[text[at] ?? 0] ?? 0
    length = byte === 0 ? 0 : length + 1
    last = (last << 8) | byte
    if (length >= gramBytes) take(Math.imul(last, multiplier) >>> 0)
  }
}

/** The keys of a text. Empty when it is too short to say anything. */
export function gramsOf(text: Uint8Array): readonly number[] {
  const keys = new Set<number>()
  eachGram(text, (key) => keys.add(key))
  return [...keys]
}

/**
 * The signature of a file's text. Null when it would say nothing certain: for UTF-16, which the engine decodes; for the
 * two letters outside ASCII that equal `k` and `s` in another case; and for a text with too many sequences.
 */
export function signatureOf(text: Uint8Array): Signature | null {
  if (isUtf16(text) || holdsFoldedLetter(text)) return null
  let size = smallest
  while (size < text.length * 2 && size < largest) size *= 2
  let bits = new Uint32Array(size / 32)
  setBits(bits, text, 32 - Math.log2(size))
  while (size > smallest) {
    const half = halve(bits)
    const isTooLong = size / 8 > roomOfText * text.length
    if (!isTooLong && countBits(half) > (usual * size) / 2) break
    bits = half
    size /= 2
  }
  return countBits(bits) > fullest * size && size > smallest ? null : { size, bits }
}

/** Does what `eachGram` does, in a loop of its own: a call for each sequence would take twice as long. */
function setBits(bits: Uint32Array, text: Uint8Array, shift: number): void {
  let last = 0
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    const byte = folded[text[at] ?? 0] ?? 0
    length = byte === 0 ? 0 : length + 1
    last = (last << 8) | byte
    if (length < gramBytes) continue
    const bit = Math.imul(last, multiplier) >>> shift
    bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }
}

/** False proves that the text of the signature does not hold the sequence. */
export function mayHoldGram({ size, bits }: Signature, key: number): boolean {
  const bit = bitOf(key, size)
  return (((bits[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1
}

/** The bit of a sequence in signatures of this size. */
export function bitOf(key: number, size: number): number {
  return key >>> (32 - Math.log2(size))
}

/** True for a text that the engine decodes before it searches it. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

const kelvin = Buffer.from('\u212a')
const longS = Buffer.from('\u017f')

function holdsFoldedLetter({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  const text = Buffer.from(buffer, byteOffset, byteLength)
  return text.includes(kelvin) || text.includes(longS)
}

/** Joins each bit with its neighbour, as if the last bit of every key did not count. */
function halve(bits: Uint32Array): Uint32Array<ArrayBuffer> {
  const half = new Uint32Array(bits.length / 2)
  for (let at = 0; at < half.length; at += 1)
    half[at] = joinPairs(bits[2 * at] ?? 0) | (joinPairs(bits[2 * at + 1] ?? 0) << 16)
  return half
}

function joinPairs(word: number): number {
  let bits = (word | (word >>> 1)) & 0x55555555
  bits = (bits | (bits >>> 1)) & 0x33333333
  bits = (bits | (bits >>> 2)) & 0x0f0f0f0f
  bits = (bits | (bits >>> 4)) & 0x00ff00ff
  return (bits | (bits >>> 8)) & 0xffff
}

function countBits(words: Uint32Array): number {
  let count = 0
  for (const word of words) {
    const pairs = word - ((word >>> 1) & 0x55555555)
    const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
    count += Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}
