import { codeRows } from './run/code.ts'
import { environmentRows } from './run/environments.ts'
import { placeRows } from './run/places.ts'
import { viewRows } from './run/views.ts'
import { measureParts } from './support/measure-parts.ts'

// Goal 12: code that agents run. Goal 13: the mount in which a command runs.
await measureParts('run', { code: codeRows, views: viewRows, places: placeRows, environments: environmentRows })
// The proxies of the sandbox would keep the process alive.
process.exit(0)
