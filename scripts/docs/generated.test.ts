import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createMemoryBaseTree } from '#overlay'
import { checkSettings } from '../../src/main/adapters/settings/settings-check.ts'
import { openWorld } from '../../src/main/core/agent/agent-world.testkit.ts'
import { projectAgents } from '../../src/main/host/extensions/agents.ts'
import { appVariables, developerVariables, placeVariables } from './environment-page.ts'
import { generateDocs } from './generated.ts'

const root = join(import.meta.dirname, '../..')
const generated = await generateDocs()

describe('the guide', () => {
  it.each(Object.entries(generated))('has %s as the code makes it; run "npm run docs" after a change', (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text)
  })

  it('explains every variable of the environment that the code reads, and no other', () => {
    expect(appVariables.map(({ name }) => name).sort()).toEqual(variablesIn(['src', 'bin']))
    const known = new Set([...appVariables, ...placeVariables, ...developerVariables].map(({ name }) => name))
    expect(variablesIn(['scripts', 'e2e', 'integration']).filter((name) => !known.has(name))).toEqual([])
  })

  it('has links that lead somewhere', () => {
    const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    )
    const broken = pages.flatMap((page) => {
      const file = join(root, 'docs', page)
      const links = [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      return links.flatMap(([link, target = '', anchor]) => {
        const place = target === '' ? file : join(dirname(file), target)
        const isThere = existsSync(place) && (anchor === undefined || anchorsOf(place).includes(anchor))
        return isThere ? [] : [`${page}: ${link}`]
      })
    })
    expect(broken).toEqual([])
  })

  it('shows settings that are valid', () => {
    const pages = readdirSync(join(root, 'docs/guide')).filter((name) => name.endsWith('.md'))
    const examples = pages.flatMap((name) =>
      [...readFileSync(join(root, 'docs/guide', name), 'utf8').matchAll(/```jsonc\n(.*?)```/gs)].map(
        ([, text = '']) => text,
      ),
    )
    expect(examples.length).toBeGreaterThan(4)
    expect(examples.flatMap((text) => checkSettings(text).problems)).toEqual([])
  })

  it('names tests that exist in the table of promises', () => {
    const rows = readFileSync(join(root, 'docs/parity.md'), 'utf8').matchAll(
      /`([^`]+\.(?:test|spec)\.ts)`: ([^;|(]*[^;|( ])/g,
    )
    const missing = [...rows].flatMap(([, file = '', title = '']) => {
      const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
      return text.includes(title) || title === 'Watcher' ? [] : [`${file}: ${title}`]
    })
    expect(missing).toEqual([])
  })

  it('names tests of security that exist', () => {
    const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
    const named = [...page.matchAll(/`([\w/.-]+\.(?:test|spec)\.tsx?)`/g)].map(([, file = '']) => file)
    expect(named.length).toBeGreaterThan(25)
    const places = ['', 'src', 'src/main']
    expect(named.filter((file) => !places.some((place) => existsSync(join(root, place, file))))).toEqual([])
  })

  it('names lines and tests in the table of the desktop app that exist', () => {
    const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
    const row = /^\| (\d+) \| [^|]+ \| `([^`]+)` `([^`]+)` \| `([^`]+)`: \*(.+)\* \|$/gm
    const rows = [...page.matchAll(row)]
    expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
    const textOf = (file: string): string =>
      existsSync(join(root, 'src', file)) ? readFileSync(join(root, 'src', file), 'utf8') : ''
    const missing = rows.flatMap(([, , file = '', name = '', test = '', title = '']) => [
      ...(textOf(file).includes(name) ? [] : [`${file}: ${name}`]),
      ...(textOf(test).includes(title) ? [] : [`${test}: ${title}`]),
    ])
    expect(missing).toEqual([])
  })

  it('shows definitions that count as they are', async () => {
    const page = readFileSync(join(root, 'docs/guide/subagents.md'), 'utf8')
    const example = (language: string): string =>
      new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''
    const files = {
      '/.coppice/agents/reviewer.md': example('markdown'),
      '/.coppice/agents.yaml': example('yaml'),
    }
    const { agents, problems } = await projectAgents({
      base: createMemoryBaseTree(files),
      access: () => ({ mayRead: () => true, mayShow: () => true }),
    })
    expect(problems).toEqual([])
    expect(agents.map(({ name, mode, unknownKeys }) => [name, mode, unknownKeys])).toEqual([
      ['triage', 'tool', []],
      ['changelog', 'tool', []],
      ['reviewer', 'handoff', []],
    ])
  })

  it('describes the events of a run, and refuses what is none', async () => {
    const line = z.fromJSONSchema(JSON.parse(generated['docs/guide/events.schema.json'] ?? ''))
    const call = { name: 'write_file', input: { file_path: '/a', content: 'text' } }
    const world = await openWorld({ script: (_, { count }) => (count === 0 ? { calls: [call] } : { text: 'Done.' }) })
    await world.run('Write a file.')
    for (const type of ['thread.created', 'run.started', 'message', 'tool.finished', 'run.ended'] as const) {
      expect(world.entries(type).length).toBeGreaterThan(0)
      for (const entry of world.entries(type)) expect(line.safeParse(entry).error?.message).toBeUndefined()
    }
    expect(line.safeParse({ type: 'run.finished' }).success).toBe(false)
    expect(line.safeParse({ type: 'something' }).success).toBe(false)
  })
})

/** The names of variables in source files, without those that only tests name. */
function variablesIn(folders: readonly string[]): readonly string[] {
  const texts = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !/\.(test|testkit|contract)\.tsx?$/.test(name))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  )
  const names = texts.join('\n').matchAll(/\b(?:COPPICE|ANTHROPIC|OTEL)_[A-Z_]*[A-Z]\b/g)
  return [...new Set([...names].map(([name]) => name))].sort()
}

/** The anchors of the headings of a page, as a repository's viewer makes them. */
function anchorsOf(file: string): readonly string[] {
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text)
  return headings.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
