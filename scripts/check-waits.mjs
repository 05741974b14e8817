// A test must wait for a state, never for a fixed time. A fixed time is too short on a busy machine and too long on
// any other.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))
const folders = ['bench', 'e2e', 'integration', 'packages', 'scripts', 'src']

/** The patterns forbidden in every file. Tests may not await a sleep either. */
const everywhere = [/\.waitForTimeout\(/]
/** How long something took depends on the machine. A test that must not wait has something to wait for without end. */
const onTheClock = /\b(?:performance|Date)\.now\(\) - .*\.toBeLessThan/
/** Both give up after a second, or after what somebody guessed. `eventually` does not. */
const impatient = /\bvi\.wait(?:For|Until)\(|\bexpect\.poll\(.*\btimeout:/
const inTests = [onTheClock, /await new Promise\b[^;]*?\bsetTimeout\(\s*\w+\s*,/, /await (?:delay|sleep)\(\s*[\d_]+/]

const files = folders
  .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: root }))
  .filter((file) => !file.includes('node_modules') && !/check-waits\./.test(file))
const problems = files.flatMap((file) => {
  const isTest = /\.(test|spec|contract)\.tsx?$/.test(file)
  const isInNode = isTest && !/\.spec\.|\.browser\./.test(file)
  const forbidden = [...everywhere, ...(isTest ? inTests : []), ...(isInNode ? [impatient] : [])]
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) =>
    forbidden.some((pattern) => pattern.test(line)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
  )
})

for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0)
  process.stderr.write(
    'Wait for a state instead: expect(…).toBeVisible(), expect.poll without a time, eventually, settled.\n',
  )
if (files.length === 0) process.stderr.write('No file was checked.\n')
process.stdout.write(`Waits: ${files.length} files, ${problems.length} fixed waits\n`)
process.exitCode = problems.length > 0 || files.length === 0 ? 1 : 0
