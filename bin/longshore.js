#!/usr/bin/env node
// The launcher. It is CommonJS in old syntax so that any Node can read it and say what it needs. On Node 24 and later it
// is the program itself; in a checkout on an older Node it runs the project's own Node 24 and ties its life to its own.
'use strict';

var path = require('path');
var fs = require('fs');

var program = path.join(__dirname, '..', 'dist', 'cli', 'main.js');
var needed = 24;
var major = Number(process.versions.node.split('.')[0]);

if (major >= needed) {
  start();
} else {
  var modern = ownNode();
  if (modern) {
    run(modern);
  } else {
    fail('Longshore needs Node ' + needed + ' or later; this is Node ' + process.versions.node + '.');
  }
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

function start() {
  if (!fs.existsSync(program)) return fail('Longshore is not built yet: run `npm ci` in its folder.');
  require('module').enableCompileCache();
  return require(program);
}

/** The Node that `npm ci` put into this checkout, if any. */
function ownNode() {
  var folder = path.join(__dirname, '..', 'node_modules', 'node', 'bin');
  var names = [path.join(folder, 'node'), path.join(folder, 'node.exe')];
  return names.find(function (name) {
    return fs.existsSync(name);
  });
}

function run(node) {
  var args = process.execArgv.concat([__filename], process.argv.slice(2));
  var env = Object.assign({}, process.env, { LONGSHORE_LIFELINE: '3' });
  // The fourth pipe is the lifeline: the kernel closes our end however we die, and the child ends when it sees that.
  var child = require('child_process').spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: env,
  });
  var signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  signals.forEach(function (signal) {
    process.on(signal, function () {
      child.kill(signal);
    });
  });
  child.on('error', function (error) {
    fail('Could not start ' + node + ': ' + error.message);
  });
  child.on('exit', function (code, signal) {
    if (signal === null) {
      process.exitCode = code;
      child.stdio[3].destroy();
      signals.forEach(function (name) {
        process.removeAllListeners(name);
      });
    } else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}
