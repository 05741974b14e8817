// Walks a folder with fdir as often as asked, in a process that does nothing else; prints milliseconds and megabytes.
import { fdir } from 'fdir'

const [folder, runs] = process.argv.slice(2)
const figures = []
let files = 0
for (let run = 0; run < Number(runs); run += 1) {
  const started = performance.now()
  files = (await new fdir().withRelativePaths().crawl(folder).withPromise()).length
  figures.push(performance.now() - started)
}
process.stdout.write(JSON.stringify({ files, figures, mb: process.memoryUsage().rss / 1024 / 1024 }))
