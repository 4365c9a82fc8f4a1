package io.penstock.architecture.bad.one;

/** Prints instead of logging. */
final class Talker {
    void talk() {
        System.out.println("hello");
    }
}
