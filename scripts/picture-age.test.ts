import sharp from 'sharp'
import { expect, it } from 'vitest'
import { firstChange, looksDifferent } from './picture-age.ts'

const drawn = (background: string, text: string, column = 0) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400"><rect width="640" height="400" fill="${background}"/>
       <rect width="${column}" height="400" fill="#444"/><text x="300" y="200">${text}</text></svg>`,
    ),
  )
    .png()
    .toBuffer()

it('another text in a picture is no other look, another theme or a new column is', async () => {
  const picture = await drawn('#fff', '11:04')
  expect(await looksDifferent(picture, await drawn('#fff', '18:59'))).toBe(false)
  expect(await looksDifferent(picture, await drawn('#111', '11:04'))).toBe(true)
  expect(await looksDifferent(picture, await drawn('#fff', '11:04', 120))).toBe(true)
})

it('names the first line of a screen that is new, other or gone', () => {
  expect(firstChange('- button "Keep"\n- button "Drop"', '- button "Keep"\n- button "Drop"')).toBeNull()
  expect(firstChange('- button "Keep"', '- button "Save"')).toBe('"- button "Save"" and not "- button "Keep""')
  expect(firstChange('- button "Keep"\n- text: old', '- button "Keep"')).toBe('"- text: old" is gone')
  expect(firstChange('- button "Keep"', '- button "Keep"\n- text: new')).toBe('"- text: new" and not ""')
  expect(firstChange(undefined, '')).toBe('it has no outline')
})
