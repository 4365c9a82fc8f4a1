package io.penstock.cli;

/** This program's version. */
final class Version {
    private Version() {}

    static String text() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
