import { beginningOf } from '#shared/text/whole-characters.ts'

/** An address for a sentence, without its path, in which a server could write anything. */
export function shownHost({ host, protocol }: URL): string {
  return beginningOf(host === '' ? protocol : host, 200)
}
