import type { JsonObject } from '#shared/base/json.ts'
export interface DemoCall {
  readonly name: string
  readonly input: JsonObject
}

export interface DemoReply {
  readonly text: string
  readonly calls: readonly DemoCall[]
}

/** `root` is the folder of the demo project: the opened folder, or a folder inside any other project. */
export type DemoStep = (root: string, files: DemoFiles) => DemoReply
/** The demo project's files as path and text. Other projects get a copy of them. */
export type DemoFiles = readonly (readonly [path: string, text: string])[]

/** The steps of the subagent that has this task. Undefined for every other conversation. */
export function subagentSteps(task: string): readonly DemoStep[] | undefined {
  const name = /^Demo task (\w+) in /.exec(task)?.[1]
  if (name !== undefined) return steps[name]
  const path = /^Resolve a conflict in (\/\S*README\.md)\./.exec(task)?.[1]
  return path === undefined ? undefined : resolving(path)
}

const printed = 'Totals are printed as plain numbers.\n'

/** Joins what the branches `format` and `docs` say about the output. */
function resolving(path: string): readonly DemoStep[] {
  return [
    () => ({ text: 'I read the current version first.', calls: [{ name: 'read_file', input: { file_path: path } }] }),
    () => ({
      text: 'Both sentences are true, so I keep both, with the example.',
      calls: [
        {
          name: 'edit_file',
          input: {
            file_path: path,
            old_string: 'Totals are printed with two decimals.\n',
            new_string:
              'Totals are exact to the cent and printed with two decimals:\n\n    $ node src/index.js data/january.txt\n    97.75\n',
          },
        },
      ],
    }),
    () => ({ text: 'The README now says both: two decimals, exact to the cent, with the example.', calls: [] }),
  ]
}

const steps: Readonly<Record<string, readonly DemoStep[]>> = {
  format: [
    (root) => ({
      text: 'I look at how amounts are printed.',
      calls: [{ name: 'read_file', input: { file_path: `${root}/src/format.js` } }],
    }),
    (root) => ({
      text: 'Two decimals, always.',
      calls: [
        {
          name: 'edit_file',
          input: {
            file_path: `${root}/src/format.js`,
            old_string: 'return String(amount)',
            new_string: 'return amount.toFixed(2)',
          },
        },
        {
          name: 'edit_file',
          input: {
            file_path: `${root}/README.md`,
            old_string: printed,
            new_string: 'Totals are printed with two decimals.\n',
          },
        },
      ],
    }),
    () => ({ text: 'Amounts are printed with two decimals; the README says so.', calls: [] }),
  ],
  tests: [
    (root) => ({
      text: 'I add tests for reading expenses.',
      calls: [{ name: 'read_file', input: { file_path: `${root}/src/parse.js` } }],
    }),
    (root) => ({
      text: 'Comments, empty lines and words with spaces are what can go wrong.',
      calls: [
        {
          name: 'write_file',
          input: {
            file_path: `${root}/test/parse.test.js`,
            content:
              "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { parse } from '../src/parse.js'\n\ntest('skips comments and empty lines', () => {\n  assert.deepEqual(parse('# January\\n\\n2026-01-02 1.50 tea\\n'), [{ date: '2026-01-02', amount: 1.5, what: 'tea' }])\n})\n\ntest('keeps what was bought as one text', () => {\n  assert.equal(parse('2026-01-02 12.50 coffee beans')[0].what, 'coffee beans')\n})\n",
          },
        },
      ],
    }),
    () => ({ text: 'Two tests for `parse` are in test/parse.test.js.', calls: [] }),
  ],
  docs: [
    (root) => ({
      text: 'I read the README first.',
      calls: [{ name: 'read_file', input: { file_path: `${root}/README.md` } }],
    }),
    (root) => ({
      text: 'The output section should show an example.',
      calls: [
        {
          name: 'edit_file',
          input: {
            file_path: `${root}/README.md`,
            old_string: printed,
            new_string:
              'Totals are exact to the cent and printed as money:\n\n    $ node src/index.js data/january.txt\n    97.75\n',
          },
        },
        {
          name: 'write_file',
          input: {
            file_path: `${root}/CHANGELOG.md`,
            content: '# Changes\n\n- Totals are exact to the cent.\n- Amounts are printed with two decimals.\n',
          },
        },
      ],
    }),
    () => ({ text: 'The README shows an example of the output, and there is a change log.', calls: [] }),
  ],
}
