import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeUserMemories } from '#core/ports/stores/user-memories.contract.ts'
import { someWrite } from '#core/ports/stores/user-memories.testkit.ts'
import { valuesOf } from '#shared/base/chain.ts'
import { openUserMemories, type UserMemoryDatabase } from './sqlite-user-memories.ts'

let folder: string
let file: string
let aside: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-memories-'))
  file = join(folder, 'memories.db')
  aside = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const now = () => Date.parse('2026-01-02T03:04:05Z')
const open = (): UserMemoryDatabase => openUserMemories({ file, now, onMovedAside: (path) => void aside.push(path) })
const textIn = (store: UserMemoryDatabase) => store.current().get('style.md')?.text

describeUserMemories('SQLite', open)

describe('the memories for all projects', () => {
  it('are there after a restart', () => {
    using first = open()
    first.record([someWrite], 'now')
    first[Symbol.dispose]()
    using again = open()
    expect(textIn(again)).toBe('Tabs.')
  })

  it('show what another connection wrote', () => {
    using one = open()
    using other = open()
    expect([textIn(one), textIn(other)]).toEqual([undefined, undefined])
    one.record([someWrite], 'now')
    expect(textIn(other)).toBe('Tabs.')
    other.record([{ ...someWrite, key: 'b', text: 'Spaces.' }], 'now')
    expect(textIn(one)).toBe('Spaces.')
  })

  it('keep every version that two processes write at the same time', async () => {
    const script = join(import.meta.dirname, 'user-memories-writer.testkit.ts')
    const write = async (who: string): Promise<readonly string[]> => {
      const child = spawn(process.execPath, [script, file, who, '60'], { stdio: ['ignore', 'pipe', 'inherit'] })
      return (await text(child.stdout)).trim().split('\n')
    }
    const keys = (await Promise.all([write('a'), write('b')])).flat()
    expect(keys).toHaveLength(120)
    using store = open()
    const versions = valuesOf(store.current().get('style.md')?.versions ?? null)
    expect(versions.map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
    const texts = versions.map(({ sequence }) => store.textOf('style.md', sequence))
    expect(texts.toSorted()).toEqual(keys.toSorted())
    for (const who of ['a', 'b']) {
      const own = texts.filter((one) => one?.startsWith(who))
      expect(own, 'each process in its own order').toEqual(own.toSorted((x, y) => numberIn(x) - numberIn(y)))
    }
    expect(aside).toEqual([])
  })

  it('are moved aside when their file is damaged, and a new store begins', () => {
    writeFileSync(file, 'This is not a database. '.repeat(400))
    using store = open()
    expect([textIn(store), store.problem()]).toEqual([undefined, null])
    expect(aside).toEqual([`${file}.damaged-2026-01-02T03-04-05.000Z`])
    expect(readFileSync(aside[0] ?? '', 'utf8')).toContain('not a database')
    store.record([someWrite], 'now')
    expect(textIn(store)).toBe('Tabs.')
  })

  it('go on in the new store when another process moved the damaged one aside', () => {
    using store = open()
    const long = 'A long line of a note. '.repeat(2_000)
    store.record([{ ...someWrite, text: long }], 'now')
    const other = new Database(file)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(7, 4096))
    using fresh = open()
    expect([textIn(fresh), aside.length]).toEqual([undefined, 1])
    fresh.record([{ ...someWrite, key: 'b', text: 'new' }], 'now')
    expect([textIn(store), store.problem()]).toEqual(['new', null])
    store.record([{ ...someWrite, key: 'c', text: 'newer' }], 'now')
    expect(textIn(fresh)).toBe('newer')
  })

  it('of a newer version are left alone, with the reason', () => {
    const newer = new Database(file)
    newer.pragma('user_version = 99')
    newer.close()
    using store = open()
    expect([textIn(store), store.problem()]).toEqual([undefined, expect.stringContaining('newer Coppice')])
    expect(() => store.record([someWrite], 'now')).toThrow(/newer Coppice/)
    expect([aside, readdirSync(folder).filter((name) => name.endsWith('.db'))]).toEqual([[], ['memories.db']])
  })

  it('say that another program holds them, and work again afterwards', () => {
    using store = open()
    store.record([someWrite], 'now')
    const holder = new Database(file)
    holder.exec('BEGIN IMMEDIATE')
    expect(() => store.record([{ ...someWrite, key: 'b', text: 'x' }], 'now')).toThrow(/Another program holds/)
    expect(textIn(store), 'reading needs no turn').toBe('Tabs.')
    holder.exec('ROLLBACK')
    holder.close()
    store.record([{ ...someWrite, key: 'b', text: 'x' }], 'now')
    expect([textIn(store), store.problem()]).toEqual(['x', null])
  })
})

function numberIn(key: string | null): number {
  return Number(key?.split('/')[1])
}
