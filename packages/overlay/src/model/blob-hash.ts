import type { Brand } from './brand.ts'

/** SHA-256 of the content, 64 hexadecimal digits. */
export type BlobHash = Brand<'BlobHash'>
