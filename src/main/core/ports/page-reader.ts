/** What became of the wish to read an address of the web. */
export type PageOutcome =
  | {
      readonly kind: 'read'
      /** Where the page was after redirects within its host. */
      readonly address: string
      /** Markdown of a page, the text of a PDF, or a text as it is. */
      readonly text: string
      /** As its server calls it: `text/html`. */
      readonly type: string
      /** False when only the beginning was read. */
      readonly isWhole: boolean
      /** True when it was read a short while ago and is not asked for again. */
      readonly wasKept: boolean
    }
  /** It is at another host, which nobody asked about. */
  | { readonly kind: 'moved'; readonly to: string }
  /** `message` is a sentence for a model and a person. */
  | { readonly kind: 'failed'; readonly message: string }

/** Reads single pages of the web, within bounds, and nothing of this machine or of a private network. */
export interface PageReader {
  /** `address` in its plain form. Throws the reason of `signal`. */
  read(address: string, signal: AbortSignal): Promise<PageOutcome>
}
