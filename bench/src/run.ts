import { viewRows } from './run/views.ts'
import { report } from './support/report.ts'

// Goal 13: the view a command runs in.
report('run', await viewRows(), 'views')
// The proxies of the sandbox stay with the process.
process.exit(0)
