/** The hash of a repository's object ids. */
export type ObjectFormat = 'sha1' | 'sha256'

/** The texts of every `.gitattributes` above the files, before and after the patch, by path relative to the project. */
export interface GitAttributes {
  readonly before: ReadonlyMap<string, Uint8Array>
  readonly after: ReadonlyMap<string, Uint8Array>
}
