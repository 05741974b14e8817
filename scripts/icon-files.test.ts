import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fillSquare, hashOfDrawings, icnsTypes, icoSizes, pictures, sizeOfPng } from './icon-files.ts'

const folder = join(import.meta.dirname, '../resources/icon')
const read = (name: string): Buffer => readFileSync(join(folder, name))

describe('the icon', () => {
  it('was made from the drawings as they are; run "npm run icons" after a change', () => {
    expect(read('made-from.txt').toString().trim()).toBe(hashOfDrawings(folder))
    const favicon = readFileSync(join(import.meta.dirname, '../src/renderer/icon.svg'))
    expect(favicon.equals(read('icon-small.svg'))).toBe(true)
  })

  it.each(Object.entries(pictures))('has %s in its size, with transparency where it is not full', (name, picture) => {
    const png = read(name)
    expect(sizeOfPng(png)).toEqual([picture.size, picture.size])
    const colourType = png[25]
    expect(colourType).toBe(picture.full ? colourType : 6)
  })

  it('has every size of Windows in icon.ico', () => {
    const ico = read('icon.ico')
    expect([ico.readUInt16LE(0), ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([0, 1, icoSizes.length])
    let end = 6 + 16 * icoSizes.length
    for (const [index, size] of icoSizes.entries()) {
      const at = 6 + 16 * index
      const [length, offset] = [ico.readUInt32LE(at + 8), ico.readUInt32LE(at + 12)]
      expect([ico[at], ico[at + 1], offset]).toEqual([size % 256, size % 256, end])
      expect(sizeOfPng(ico.subarray(offset, offset + length))).toEqual([size, size])
      end += length
    }
    expect(end).toBe(ico.length)
  })

  it('has every size of macOS in icon.icns', () => {
    const icns = read('icon.icns')
    expect(icns.toString('latin1', 0, 4)).toBe('icns')
    expect(icns.readUInt32BE(4)).toBe(icns.length)
    let at = 8
    for (const [type, size] of icnsTypes) {
      const length = icns.readUInt32BE(at + 4)
      expect(icns.toString('latin1', at, at + 4)).toBe(type)
      expect(sizeOfPng(icns.subarray(at + 8, at + length))).toEqual([size, size])
      at += length
    }
    expect(at).toBe(icns.length)
  })

  it('refuses to fill a square with a drawing that it does not know', () => {
    expect(() => fillSquare('<svg viewBox="0 0 10 10"></svg>')).toThrow('another ground')
  })
})
