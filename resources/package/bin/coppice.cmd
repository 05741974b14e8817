@echo off
rem The command line of the packaged app.
"%~dp0..\node.exe" "%~dp0..\app.asar.unpacked\host\bin\coppice.mjs" %*
