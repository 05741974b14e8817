import type { Page } from '@playwright/test'
import sharp from 'sharp'

/** Content, whose texts and times are not the same each time. */
const content = /^\s*- (text|treeitem|row|cell|gridcell|listitem|paragraph|code|img|status|log|\/\w+)\b/

/** What a screen offers, as a screen reader has it: controls, headings and areas by their names, without numbers. */
export async function outlineOf(page: Page): Promise<string> {
  const lines = (await page.locator('body').ariaSnapshot()).split('\n')
  const named = lines
    .filter((line) => !content.test(line))
    .map((line) => /^\s*- '?(\w+( "[^"]*")?)/.exec(line)?.[1] ?? '')
  const withoutNumbers = (line: string) =>
    line.replace(/\d+([.,:]\d+)*( ?(ms|s|min|h|AM|PM)\b)?/g, '').replace(/\s+(?=[ "]|$)/g, '')
  return [...new Set(named.map(withoutNumbers))].join('\n')
}

/** A difference of this many of 255 levels, on average, is another layout or another theme, and not another text. */
const mostDifference = 6

/** True where two pictures differ in more than small texts. */
export async function looksDifferent(one: Buffer | string, other: Buffer | string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(smallOf))
  if (!a || !b || a.length !== b.length) return true
  const sum = a.reduce((total, level, at) => total + Math.abs(level - (b[at] ?? 0)), 0)
  return sum / a.length > mostDifference
}

function smallOf(picture: Buffer | string): Promise<Buffer> {
  return sharp(picture).flatten().greyscale().resize(64, 40, { fit: 'fill' }).raw().toBuffer()
}

/** The first line in which an outline is not what it was; null for none. */
export function firstChange(before: string | undefined, now: string): string | null {
  if (before === undefined) return 'it has no outline'
  const [old, lines] = [before.split('\n'), now.split('\n')]
  const at = lines.findIndex((line, index) => line !== old[index])
  if (at >= 0) return `"${lines[at]?.trim()}" and not "${old[at]?.trim() ?? ''}"`
  return old.length === lines.length ? null : `"${old[lines.length]?.trim()}" is gone`
}
