import { describe, expect, it } from 'vitest';
import { isBatchFile, programNames, shimTarget } from './windows-shim.ts';

/** As npm's cmd-shim writes them today. */
const npmShim = String.raw`@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0

IF EXIST "%dp0%\node.exe" (
  SET "_prog=%dp0%\node.exe"
) ELSE (
  SET "_prog=node"
  SET PATHEXT=%PATHEXT:;.JS;=;%
)

endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\node_modules\my-server\dist\index.js" %*
`;

/** As npm wrote them before, and pnpm still does in this manner. */
const oldShim = String.raw`@IF EXIST "%~dp0\node.exe" (
  "%~dp0\node.exe"  "%~dp0\..\my-server\cli.cjs" %*
) ELSE (
  @SETLOCAL
  @SET PATHEXT=%PATHEXT:;.JS;=;%
  node  "%~dp0\..\my-server\cli.cjs" %*
)
`;

/** The one that comes with Node. */
const npxShim = String.raw`:: Created by npm, please don't edit manually.
@ECHO OFF

SETLOCAL

SET "NODE_EXE=%~dp0\node.exe"
IF NOT EXIST "%NODE_EXE%" (
  SET "NODE_EXE=node"
)

SET "NPM_PREFIX_JS=%~dp0\node_modules\npm\bin\npm-prefix.js"
SET "NPX_CLI_JS=%~dp0\node_modules\npm\bin\npx-cli.js"
FOR /F "delims=" %%F IN ('CALL "%NODE_EXE%" "%NPM_PREFIX_JS%"') DO (
  SET "NPM_PREFIX_NPX_CLI_JS=%%F\node_modules\npm\bin\npx-cli.js"
)
IF EXIST "%NPM_PREFIX_NPX_CLI_JS%" (
  SET "NPX_CLI_JS=%NPM_PREFIX_NPX_CLI_JS%"
)

"%NODE_EXE%" "%NPX_CLI_JS%" %*
`;

const programShim = String.raw`@ECHO off
"%~dp0\node_modules\tool\bin\tool.exe"   %*
`;

describe('shimTarget', () => {
  it.each([
    ['npm', npmShim, String.raw`C:\nodejs\node_modules\my-server\dist\index.js`, 'node'],
    ['older npm', oldShim, String.raw`C:\my-server\cli.cjs`, 'node'],
    ['Node’s npx', npxShim, String.raw`C:\nodejs\node_modules\npm\bin\npx-cli.js`, 'node'],
    ['a program’s', programShim, String.raw`C:\nodejs\node_modules\tool\bin\tool.exe`, 'itself'],
  ])('finds what %s shim starts', (_whose, text, file, by) => {
    for (const lines of [text, text.replaceAll('\n', '\r\n')]) {
      expect(shimTarget(String.raw`C:\nodejs\shim.cmd`, lines)).toEqual({ file, by });
    }
  });

  it.each([
    ['a script of somebody’s own', '@echo off\r\nset X=1\r\nmy-program %*\r\n'],
    ['a call of node itself', String.raw`"%~dp0\node.exe" %*`],
    ['a script elsewhere', String.raw`node "C:\elsewhere\x.js" %*`],
    ['an empty file', ''],
  ])('leaves %s alone', (_what, text) => {
    expect(shimTarget(String.raw`C:\x.cmd`, text)).toBeUndefined();
  });
});

describe('programNames', () => {
  it('tries the extensions that can be started, in the order of PATHEXT', () => {
    expect(programNames('npx', '.COM;.EXE;.BAT;.CMD;.VBS;.JS')).toEqual(['npx.com', 'npx.exe', 'npx.bat', 'npx.cmd']);
    expect(programNames('npx.cmd', undefined)[0]).toBe('npx.cmd');
    expect(programNames('python3.12', '.EXE')).toEqual(['python3.12.exe']);
  });

  it('knows batch files', () => {
    expect(['a.CMD', 'a.bat', 'a.exe', 'cmd'].map(isBatchFile)).toEqual([true, true, false, false]);
  });
});
