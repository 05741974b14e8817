// `npm run icons`: makes every size and format of the icon from the drawings in resources/icon, in a browser.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { launchOptions } from './browser-options.ts'
import { findBrowser } from './find-browser.mjs'
import {
  fillSquare,
  hashOfDrawings,
  icnsScale,
  icnsTypes,
  icoSizes,
  pictureOf,
  pictures,
  writeIcns,
  writeIco,
} from './icon-files.ts'
import { root } from './steps.mjs'

const folder = join(root, 'resources/icon')
const executablePath = findBrowser()
if (!executablePath) process.exit(1)
const browser = await chromium.launch({ ...launchOptions, executablePath })
const page = await browser.newPage()

async function draw({ drawing, size, scale, full }) {
  const text = readFileSync(join(folder, `${drawing}.svg`), 'utf8')
  const svg = Buffer.from(full ? fillSquare(text) : text).toString('base64')
  await page.setViewportSize({ width: size, height: size })
  const style = `display:grid;place-items:center;width:${size}px;height:${size}px`
  const side = size * scale
  await page.setContent(
    `<body style="margin:0"><div style="${style}"><img width="${side}" height="${side}" src="data:image/svg+xml;base64,${svg}"></div></body>`,
  )
  await page.locator('img').evaluate((image) => image.decode())
  return page.screenshot({ omitBackground: true })
}

mkdirSync(folder, { recursive: true })
for (const [name, picture] of Object.entries(pictures)) writeFileSync(join(folder, name), await draw(picture))
const ico = []
for (const size of icoSizes) ico.push({ size, png: await draw(pictureOf(size)) })
writeFileSync(join(folder, 'icon.ico'), writeIco(ico))
const icns = []
for (const [type, size] of icnsTypes) icns.push({ type, size, png: await draw(pictureOf(size, icnsScale)) })
writeFileSync(join(folder, 'icon.icns'), writeIcns(icns))
writeFileSync(join(folder, 'made-from.txt'), `${hashOfDrawings(folder)}\n`)
// A browser shows the favicon in 16 pixels.
writeFileSync(join(root, 'src/renderer/icon.svg'), readFileSync(join(folder, 'icon-small.svg')))
await browser.close()
process.stdout.write(`Made ${Object.keys(pictures).length} pictures, icon.ico and icon.icns in ${folder}\n`)
