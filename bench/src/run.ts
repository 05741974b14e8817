import { codeRows } from './run/code.ts'
import { placeRows } from './run/places.ts'
import { viewRows } from './run/views.ts'
import { onlyPart } from './support/flags.ts'
import { report } from './support/report.ts'

// Goal 12: code that agents run. Goal 13: the mount in which a command runs.
if (onlyPart !== 'views' && onlyPart !== 'places') report('run', await codeRows(), 'code')
if (onlyPart !== 'code' && onlyPart !== 'places') report('run', await viewRows(), 'views')
if (onlyPart !== 'code' && onlyPart !== 'views') report('run', await placeRows(), 'places')
// The proxies of the sandbox would keep the process alive.
process.exit(0)
