#!/usr/bin/env node
"use strict";
require("../dist/c-mem.cjs");
