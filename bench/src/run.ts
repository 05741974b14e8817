import { codeRows } from './run/code.ts'
import { environmentRows } from './run/environments.ts'
import { placeRows } from './run/places.ts'
import { viewRows } from './run/views.ts'
import { onlyPart } from './support/flags.ts'
import { report } from './support/report.ts'

// Goal 12: code that agents run. Goal 13: the mount in which a command runs.
const parts = { code: codeRows, views: viewRows, places: placeRows, environments: environmentRows }
for (const [part, rowsOf] of Object.entries(parts))
  if (onlyPart === undefined || !(onlyPart in parts) || onlyPart === part) report('run', await rowsOf(), part)
// The proxies of the sandbox would keep the process alive.
process.exit(0)
