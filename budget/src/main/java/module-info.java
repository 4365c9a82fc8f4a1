/** Budgets, windows and claims: what admission decides, without any I/O. */
module io.penstock.budget {
    requires static org.jspecify;

    exports io.penstock.budget;
}
