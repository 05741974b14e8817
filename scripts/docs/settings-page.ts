import { settingsJsonSchema, settingsReference } from '../../src/main/adapters/settings/settings-reference.ts'
import { narrowingKeys } from '../../src/main/host/extensions/narrow-settings.ts'
import { code, pageHead, table } from './markdown.ts'

/** `settings.md`: every setting, as the window shows it beside the file. */
export function settingsPage(): string {
  const all = settingsReference()
  const groups = all.filter(({ path }) => !path.includes('.'))
  const sections = groups.map(({ path, takes, usual, description }) => {
    const inner = all.filter((one) => one.path.startsWith(`${path}.`))
    const facts = [
      ...(inner.length > 0 ? [] : [`Takes ${takes}.`]),
      ...(usual === null ? [] : [`Default: ${code(usual)}.`]),
      narrowingKeys.has(path)
        ? 'A project can make it stricter in `.coppice/settings.json`.'
        : 'A project cannot set it.',
    ]
    const rows = inner.map((one) => [
      code(one.path.slice(path.length + 1)),
      one.takes,
      one.usual === null ? '' : code(one.usual),
      one.description,
    ])
    const values = rows.length === 0 ? '' : `\n${table(['key', 'takes', 'default', 'meaning'], rows)}`
    return `## ${path}\n\n${description}\n\n${facts.join(' ')}\n${values}`
  })
  return `${pageHead('Settings', 'src/main/adapters/settings/settings-schema.ts')}
\`settings.json\` in the data folder is JSON with comments. Every key is optional. An invalid value is reported and its default is used;
the others count all the same. An unknown key is kept and not used. \`--settings FILE\` lays a second file over it. \`coppice doctor\` shows
the data folder. Some [variables of the environment](environment.md) win over the file.

An editor checks the file and completes its keys with [settings.schema.json](settings.schema.json):

\`\`\`jsonc
{
  "$schema": "./settings.schema.json", // a copy of the schema beside the file
  "approval_mode": "ask",
  "budgets": { "run": { "cost": 2, "minutes": 30 } }
}
\`\`\`

${sections.join('\n')}`
}

export function settingsSchemaFile(): string {
  return `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`
}
