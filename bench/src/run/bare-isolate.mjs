// Makes, runs and disposes bare isolates, one after another. Prints the milliseconds of each as JSON.
import ivm from 'isolated-vm'

const figures = []
for (let run = 0; run < Number(process.argv[2]); run += 1) {
  const started = performance.now()
  const isolate = new ivm.Isolate({ memoryLimit: 128 })
  const context = isolate.createContextSync()
  isolate.compileScriptSync('6 * 7').runSync(context)
  isolate.dispose()
  figures.push(performance.now() - started)
}
process.stdout.write(JSON.stringify(figures.slice(5)))
