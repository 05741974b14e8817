import { stripTypeScriptTypes } from 'node:module'

/** Node's own type stripping: types become spaces, so that lines and columns stay. Throws where it is no TypeScript. */
export function stripTypes(code: string): string {
  return stripTypeScriptTypes(code, { mode: 'strip' })
}
