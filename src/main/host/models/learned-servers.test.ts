import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLearnedServers } from './learned-servers.ts'

const place = () => join(mkdtempSync(join(tmpdir(), 'coppice-learned-')), 'servers.json')
const open = (path: string) =>
  openLearnedServers(path, (error) => {
    throw error
  })
const local = { id: 'm1', name: 'M 1', contextWindow: 32_000 }

describe('what servers taught', () => {
  it('is known after a restart, by model, in a file that only its owner can read', () => {
    const path = place()
    const before = open(path)
    before.dialect('gate', () => 'http://a').learn('m1', 'images')
    before.dialect('gate', () => 'http://a').learn('m1', 'thinking')
    before.keepList('gate', 'http://a', [local])
    const after = open(path)
    const dialect = after.dialect('gate', () => 'http://a')
    expect([[...dialect.refusedBy('m1')], [...dialect.refusedBy('m2')]]).toEqual([['images', 'thinking'], []])
    expect(after.listed('gate', 'http://a')).toEqual([local])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('is forgotten when the profile gets another address, and for one model when a person wants it', () => {
    const known = open(place())
    known.dialect('gate', () => 'http://a').learn('m1', 'images')
    expect(known.dialect('gate', () => 'http://b').refusedBy('m1').size).toBe(0)
    known.dialect('gate', () => 'http://a').learn('m2', 'images')
    known.forget('gate', 'm1')
    expect(known.refused('gate', 'http://a')).toEqual({ m2: ['images'] })
  })

  it('keeps models apart that are called like parts of an object', () => {
    const dialect = open(place()).dialect('gate', () => 'http://a')
    expect(dialect.refusedBy('constructor').size).toBe(0)
    dialect.learn('constructor', 'images')
    expect([...dialect.refusedBy('constructor')]).toEqual(['images'])
  })

  it.each(['', '{', '{"version":2,"profiles":{}}', '{"version":1,"profiles":{"gate":7}}'])(
    'is learned anew when its file holds %j',
    (text) => {
      const path = place()
      writeFileSync(path, text)
      const known = open(path)
      expect(known.listed('gate', 'http://a')).toEqual([])
      known.keepList('gate', 'http://a', [local])
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ version: 1 })
    },
  )

  it('of one profile is kept when what stands of another one cannot be read', () => {
    const path = place()
    const gate = { address: 'http://a', refused: {}, listed: [local] }
    writeFileSync(path, JSON.stringify({ version: 1, profiles: { bad: { address: 7 }, gate } }))
    expect(open(path).listed('gate', 'http://a')).toEqual([local])
  })

  it('of a model is kept without the price or the window that cannot be read', () => {
    const path = place()
    const rows = [{ ...local, prices: { input: 'free' } }, { ...local, id: 'm2', contextWindow: -1 }, 7]
    writeFileSync(path, JSON.stringify({ version: 1, profiles: { gate: { address: 'http://a', listed: rows } } }))
    expect(open(path).listed('gate', 'http://a')).toMatchObject([
      { id: local.id, prices: null },
      { id: 'm2', contextWindow: null },
    ])
  })
})
