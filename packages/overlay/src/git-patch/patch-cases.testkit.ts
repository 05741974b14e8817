import type { BaseFixture } from '../tree/in-memory-base-tree.ts'
import type { OverlayTransaction } from '../tree/overlay-transaction.ts'
import { at, bytes } from '../tree/tree-fixtures.testkit.ts'

/** Every state a path can have, and how a draft gets there. */
export const states: Readonly<
  Record<string, { fixture?: BaseFixture; write(draft: OverlayTransaction, path: string): Promise<unknown> }>
> = {
  nothing: { write: (draft, path) => draft.delete(at(path)).catch(() => undefined) },
  empty: state(''),
  'one line': state('line\n'),
  'no newline at the end': state('line'),
  'many lines': state(Array.from({ length: 30 }, (_, index) => `${index}\n`).join('')),
  'lines like headers': state('--- a/from\n+++ b/from\n@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file\n'),
  'carriage returns': state('a\r\nb\rc\r\n'),
  'white space': state(' \t\n\n \n'),
  'not UTF-8': state(new Uint8Array([104, 105, 255, 254, 10])),
  binary: state(new Uint8Array([0, 1, 2, 255, 10, 0])),
  executable: state('line\n', true),
  'executable binary': state(new Uint8Array([127, 69, 0, 1]), true),
  'a link': {
    fixture: { kind: 'symlink', target: 'kept' },
    write: (draft, path) => draft.makeSymlink(at(path), 'kept'),
  },
  'a link to nothing': {
    fixture: { kind: 'symlink', target: 'no where\nat all' },
    write: (draft, path) => draft.makeSymlink(at(path), 'no where\nat all'),
  },
}

function state(content: string | Uint8Array, executable = false) {
  const fixture: BaseFixture = { kind: 'file', content, executable }
  const write = async (draft: OverlayTransaction, path: string): Promise<unknown> => {
    if ((await draft.stat(at(path)))?.kind === 'symlink') await draft.delete(at(path))
    return draft.write(at(path), typeof content === 'string' ? bytes(content) : content, { executable })
  }
  return { fixture, write }
}

export const hardNames = [
  'sp ace',
  'trailing ',
  ' leading',
  'tab\tname',
  'new\nline',
  'quo"te',
  'back\\slash',
  '-dash',
  'é',
  'e\u0301',
  '字\u202e.txt',
  '\x01\x7f',
  'a => b',
  '{a,b}',
  '.gitignore',
  'dev',
  'b',
]
