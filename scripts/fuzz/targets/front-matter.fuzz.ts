import { isRecord, readFrontMatter, readYaml } from '../../../src/main/host/extensions/front-matter.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

export const frontMatter: FuzzTarget = {
  name: 'front-matter',
  seeds: [
    '---\nname: release\ndescription: How to\n  release.\n---\nText',
    '---\nname: a\ntools: [read_file, "x"]\ninterrupt_on: {execute: true}\n---\n',
    '---\na: &a [x, y]\nb: *a\nc: &c {d: *a}\n---\n',
    '---\ntext: |\n  one\n  two\nfolded: >-\n  a\n\n  b\n---\n',
    '---\n? a\n: b\n- c\n---\n',
    'subagents:\n  - name: a\n    description: "b \\u00e9"\n  - - - d\n',
    '%YAML 1.2\n--- !!map\na: !x 1e3\n<<: *a\n...\n',
  ],
  run(input) {
    const text = input.toString()
    const read = readFrontMatter('a', text)
    requireLaw('message' in read || isRecord(read.data), 'front matter is a map or a problem')
    const yaml = readYaml('a', text)
    if ('message' in yaml) requireLaw(yaml.message !== '', 'a problem says what is wrong')
  },
}
