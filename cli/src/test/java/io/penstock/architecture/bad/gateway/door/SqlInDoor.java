package io.penstock.architecture.bad.gateway.door;

import java.sql.Connection;

/** SQL outside the cluster. */
record SqlInDoor(Connection connection) {}
