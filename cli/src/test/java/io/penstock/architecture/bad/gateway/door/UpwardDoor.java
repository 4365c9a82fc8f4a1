package io.penstock.architecture.bad.gateway.door;

import io.penstock.architecture.bad.cli.Command;

/** A door that knows the command line. */
record UpwardDoor(Command command) {}
